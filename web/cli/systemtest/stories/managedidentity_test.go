package stories

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// blobAccount is a storage account that accepts one token, and creates no container.
type blobAccount struct {
	mu       sync.Mutex
	blobs    map[string][]byte
	refused  []string // requests that a data role for one container does not allow
	resource string   // for which the token was requested
}

const blobToken = "the token of a managed identity"

func (b *blobAccount) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+blobToken || !strings.HasPrefix(r.URL.Path, "/account/pictures/") {
		b.refused = append(b.refused, r.Method+" "+r.URL.Path)
		w.Header().Set("x-ms-error-code", "AuthorizationPermissionMismatch")
		w.WriteHeader(http.StatusForbidden)
		return
	}
	content, exists := b.blobs[r.URL.Path]
	switch {
	case r.Method == http.MethodPut:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		b.blobs[r.URL.Path] = body
		w.WriteHeader(http.StatusCreated)
	case !exists:
		w.Header().Set("x-ms-error-code", "BlobNotFound")
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("ETag", `"1"`)
		w.Write(content) // an error means that the client has gone
	}
}

// serveToken is the identity endpoint of App Service and Container Apps.
func (b *blobAccount) serveToken(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.resource = r.URL.Query().Get("resource")
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":"%s","token_type":"Bearer","expires_on":"%d","resource":"%s"}`, blobToken,
		time.Now().Add(time.Hour).Unix(), b.resource)
}

// TestPicturesOfAnAppWithAManagedIdentity runs a server whose environment has neither a key nor a signature.
func TestPicturesOfAnAppWithAManagedIdentity(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux does SSL_CERT_FILE name the trusted certificates")
	}
	account := &blobAccount{blobs: make(map[string][]byte)}
	storage := httptest.NewTLSServer(account)
	t.Cleanup(storage.Close)
	tokens := httptest.NewServer(http.HandlerFunc(account.serveToken))
	t.Cleanup(tokens.Close)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: storage.Certificate().Raw})
	if err := os.WriteFile(roots, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	env := harness.WithoutKey(t)
	for name, value := range map[string]string{
		"INKFEED_BLOB_CONTAINER_URL": storage.URL + "/account/pictures", "SSL_CERT_FILE": roots,
		"IDENTITY_ENDPOINT": tokens.URL, "IDENTITY_HEADER": "secret of the platform",
		"AZURE_TOKEN_CREDENTIALS": "prod"} {
		env[name] = value
	}
	var logs harness.Logs
	server := harness.Spawn(t, env, &logs, "--addr", "127.0.0.1:0")
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if t.Failed() {
			t.Logf("the log of the server:\n%s", logs.String())
		}
	})
	ada := harness.NewVisitor(t, server.Address)
	ada.SignUp("ada")
	upload(ada, "/images", 100)
	picture := ada.Get("/images").Find(".pictures a.thumb").AttrOr("href", "")
	if p := ada.Get(picture); p.Status != http.StatusOK {
		t.Errorf("the picture %s: status %d", picture, p.Status)
	}
	account.mu.Lock()
	defer account.mu.Unlock()
	if len(account.blobs) == 0 || account.resource != "https://storage.azure.com" {
		t.Errorf("%d files are stored with a token for %q", len(account.blobs), account.resource)
	}
	if len(account.refused) > 0 {
		t.Errorf("these requests need more than the data role: %q", account.refused)
	}
	if log := logs.String(); strings.Contains(log, blobToken) ||
		slices.ContainsFunc([]string{"Bearer ", "type=aad"}, func(s string) bool { return strings.Contains(log, s) }) {
		t.Error("the log contains a token")
	}
}
