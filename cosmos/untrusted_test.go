package cosmos

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"inkfeed/cosmos/media"
)

// connections counts the connections to a server.
func connections(server *httptest.Server) *atomic.Int32 {
	count := new(atomic.Int32)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			count.Add(1)
		}
	}
	return count
}

// TestUntrustedServersAreReportedAtOnce connects to servers that no repetition makes trusted. Waiting for repetitions
// would keep the reason from the operator.
func TestUntrustedServersAreReportedAtOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		start func(*httptest.Server)
		want  string
	}{
		"certificate of an unknown authority": {(*httptest.Server).StartTLS, "x509: "},
		"no TLS":                              {(*httptest.Server).Start, "HTTP response to HTTPS client"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			count := connections(server)
			tt.start(server)
			defer server.Close()
			address := "https://" + server.Listener.Addr().String()

			_, err := Open(t.Context(), Options{Endpoint: address, Key: "a2V5", Database: "d"})
			if err == nil || !strings.Contains(err.Error(), tt.want) || count.Load() > 2 {
				t.Errorf("an account: %v after %d connections, want %q after at most 2", err, count.Load(), tt.want)
			}
			count.Store(0)
			files, err := media.NewBlobs(media.BlobOptions{ContainerURL: address + "/pictures?sig=x"})
			if err != nil {
				t.Fatal(err)
			}
			if err := files.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) ||
				count.Load() > 1 {
				t.Errorf("pictures: %v after %d connections, want %q after 1", err, count.Load(), tt.want)
			}
		})
	}
}
