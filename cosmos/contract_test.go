package cosmos_test

import (
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	"inkfeed/cosmos/cosmostest"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

func TestContractOnTheEmbeddedEngine(t *testing.T) {
	cosmostest.Run(t, func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store {
		engine, err := embedded.Open(t.TempDir(), embedded.Options{Ranges: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { engine.Close() })
		return mustOpen(t, cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: engine,
			Database: "contract", Files: files, Review: cosmostest.Review})
	})
}

// TestContractOnAnAccount runs where COSMOS_ENDPOINT and COSMOS_KEY are set, in
// a database of its own that it deletes again.
func TestContractOnAnAccount(t *testing.T) {
	endpoint, key := os.Getenv("COSMOS_ENDPOINT"), os.Getenv("COSMOS_KEY")
	if endpoint == "" {
		t.Skip("COSMOS_ENDPOINT is not set: no account to test")
	}
	options := cosmos.Options{Endpoint: endpoint, Key: key, Database: "inkfeed-contract-" + strings.ToLower(domain.NewID()[:8])}
	var client azcore.ClientOptions
	if os.Getenv("COSMOS_INSECURE_TLS") == "true" {
		transport := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		options.Transport, client.Transport = transport, transport
	}
	cosmostest.Run(t, func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store {
		options.Files, options.Review = files, cosmostest.Review
		t.Cleanup(func() { dropDatabase(t, endpoint, key, options.Database, client) })
		return mustOpen(t, options)
	})
}

func mustOpen(t *testing.T, o cosmos.Options) *cosmos.Store {
	t.Helper()
	store, err := cosmos.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func dropDatabase(t *testing.T, endpoint, key, name string, o azcore.ClientOptions) {
	t.Helper()
	cred, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(endpoint, cred, &azcosmos.ClientOptions{ClientOptions: o})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	database, err := client.NewDatabase(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := database.Delete(context.WithoutCancel(t.Context()), nil); err != nil {
		t.Errorf("database %s is left behind: %v", name, err)
	}
}
