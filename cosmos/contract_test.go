package cosmos_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	"inkfeed/cosmos/cosmostest"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/identity"
	"inkfeed/domain"
)

func TestContractOnTheEmbeddedEngine(t *testing.T) {
	cosmostest.Run(t, onEngine(embedded.Options{Ranges: 2}))
}

// The pages of all queries and change feeds end at random positions, and tokens authorize all requests. It takes
// as long as the contract on whole pages, so it runs in make check only.
func TestContractOnSplitPages(t *testing.T) {
	if os.Getenv("INKFEED_EXHAUSTIVE") == "" {
		t.Skip("set INKFEED_EXHAUSTIVE to run the contract on split pages")
	}
	seed := rand.Uint64() | 1
	t.Logf("the seed of the pages is %d", seed)
	cosmostest.RunOnSplitPages(t, onEngineWithoutKey(embedded.Options{Ranges: 2, SplitPages: seed}))
}

// onEngine returns a function that opens the contract's database on a new engine.
func onEngine(o embedded.Options) func(*testing.T, cosmos.FileDeleter) *cosmos.Store {
	return func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store {
		engine, err := embedded.Open(t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { engine.Close() })
		return mustOpen(t, cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: engine,
			Database: "contract", Files: files, Review: cosmostest.Review, Mentioned: cosmostest.Mentioned})
	}
}

// onEngineWithoutKey returns a function like that of onEngine. It creates the containers with the
// engine's key and then opens the database with a token credential.
func onEngineWithoutKey(o embedded.Options) func(*testing.T, cosmos.FileDeleter) *cosmos.Store {
	return func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store {
		engine, err := embedded.Open(t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { engine.Close() })
		options := cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: engine,
			Database: "contract", Files: files, Review: cosmostest.Review, Mentioned: cosmostest.Mentioned}
		mustOpen(t, options)
		options.Key, options.Credential = "", identity.New(embedded.EmulatorCredential{})
		return mustOpen(t, options)
	}
}

// contractThroughput is the shared throughput of the contract's database, in RU per second: the
// service's minimum. All containers share it; such a database may have 25.
const contractThroughput = 400

// TestContractOnAnAccount runs the contract on a Cosmos DB account where COSMOS_ENDPOINT is set: see
// docs/engine.md. With COSMOS_KEY, it creates a database of its own with a random name, and deletes it
// also when it fails, is interrupted, or is about to exceed the time limit of go test. With an
// identity, it uses the database INKFEED_TEST_DATABASE, which must exist with its containers, and leaves
// its data there.
func TestContractOnAnAccount(t *testing.T) {
	endpoint, accountKey := os.Getenv("COSMOS_ENDPOINT"), os.Getenv("COSMOS_KEY")
	name := os.Getenv("INKFEED_TEST_DATABASE")
	if endpoint == "" || accountKey == "" && name == "" {
		t.Skip("COSMOS_ENDPOINT, and COSMOS_KEY or INKFEED_TEST_DATABASE, are not set: no account to test")
	}
	meter := &meter{client: &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: os.Getenv("COSMOS_INSECURE_TLS") == "true"}}}}
	options := cosmos.Options{Endpoint: endpoint, Key: accountKey, Database: name, Transport: meter,
		Review: cosmostest.Review, Mentioned: cosmostest.Mentioned}
	if accountKey == "" {
		options.Credential = accountIdentity(t, endpoint)
	} else {
		options.Database = "inkfeed-contract-" + domain.NewID()[:12]
		drop := createDatabase(t, endpoint, accountKey, options.Database, meter)
		t.Cleanup(drop)
		defer deleteBeforeExit(t, drop)()
	}
	cosmostest.Run(t, func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store {
		o := options
		o.Files = files
		return mustOpen(t, o)
	})
	t.Logf("%d requests took %.0f RU", meter.requests, meter.charge)
}

// accountIdentity returns emulator tokens for an engine or emulator on this machine, and otherwise the
// identity of the environment.
func accountIdentity(t *testing.T, endpoint string) *identity.Credential {
	t.Helper()
	if u, err := url.Parse(endpoint); err == nil && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1") {
		return identity.New(embedded.EmulatorCredential{})
	}
	credential, err := identity.Default()
	if err != nil {
		t.Fatal(err)
	}
	return credential
}

func mustOpen(t *testing.T, o cosmos.Options) *cosmos.Store {
	t.Helper()
	o.Observers = append(slices.Clone(o.Observers), cosmos.DeclaredWrites{T: t})
	store, err := cosmos.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// meter sends requests and adds up their charges.
type meter struct {
	client *http.Client

	mu       sync.Mutex
	requests int
	charge   float64
}

func (m *meter) Do(r *http.Request) (*http.Response, error) {
	resp, err := m.client.Do(r)
	if err == nil {
		charge, _ := strconv.ParseFloat(resp.Header.Get("x-ms-request-charge"), 64)
		m.mu.Lock()
		m.requests, m.charge = m.requests+1, m.charge+charge
		m.mu.Unlock()
	}
	return resp, err
}

// createDatabase creates a database with shared throughput. On a serverless account, which refuses
// throughput, it creates one without. The returned function deletes the database once.
func createDatabase(t *testing.T, endpoint, accountKey, name string, m *meter) (drop func()) {
	t.Helper()
	cred, err := azcosmos.NewKeyCredential(accountKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(endpoint, cred,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: m}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	throughput := azcosmos.NewManualThroughputProperties(contractThroughput)
	_, err = client.CreateDatabase(t.Context(), azcosmos.DatabaseProperties{ID: name},
		&azcosmos.CreateDatabaseOptions{ThroughputProperties: &throughput})
	if failed, ok := errors.AsType[*azcore.ResponseError](err); ok && failed.StatusCode == http.StatusBadRequest {
		t.Logf("the account refuses shared throughput, so it is probably serverless: %v", err)
		_, err = client.CreateDatabase(t.Context(), azcosmos.DatabaseProperties{ID: name}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("created the database %s", name)
	return sync.OnceFunc(func() {
		database, err := client.NewDatabase(name)
		if err == nil {
			_, err = database.Delete(context.Background(), nil)
		}
		if err != nil {
			t.Errorf("deleting the database %s failed, delete it by hand: %v", name, err)
			return
		}
		t.Logf("deleted the database %s", name)
	})
}

// exitMargin is how long before the time limit of go test the database is deleted.
const exitMargin = 30 * time.Second

// deleteBeforeExit drops the database and exits on a termination signal and before the time limit
// of go test, which runs no cleanup. The returned function stops this.
func deleteBeforeExit(t *testing.T, drop func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	if deadline, limited := t.Deadline(); limited {
		ctx, cancel = context.WithDeadline(context.Background(), deadline.Add(-exitMargin))
	}
	ctx, stopSignals := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	stopped := make(chan struct{})
	go func() {
		<-ctx.Done()
		select {
		case <-stopped:
		default:
			drop()
			fmt.Fprintln(os.Stderr, "the contract was ended early:", context.Cause(ctx))
			os.Exit(1)
		}
	}()
	return func() { close(stopped); stopSignals(); cancel() }
}
