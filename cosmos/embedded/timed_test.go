package embedded_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// timedTransport measures the time inside the engine, without that of the SDK.
type timedTransport struct {
	engine *embedded.Engine
	spent  time.Duration
}

func (t *timedTransport) Do(r *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := t.engine.Do(r)
	t.spent += time.Since(began)
	return resp, err
}

// timedContainer is the container of the other helpers, through a timed transport.
func timedContainer(tb testing.TB, t *timedTransport) *azcosmos.ContainerClient {
	tb.Helper()
	cred, err := azcosmos.NewKeyCredential(t.engine.Key())
	if err != nil {
		tb.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(t.engine.Endpoint(), cred,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: t}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { client.Close() })
	c, err := client.NewContainer("db", "items")
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
