package cosmos

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/identity"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// recording is a transport that records the methods and paths of requests.
type recording struct {
	policy.Transporter
	mu       sync.Mutex
	requests []string
}

func (r *recording) Do(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.requests = append(r.requests, request.Method+" "+request.URL.Path)
	r.mu.Unlock()
	return r.Transporter.Do(request)
}

// withCredential opens the database "test" of an engine with emulator tokens.
func withCredential(t *testing.T, engine *embedded.Engine, transport policy.Transporter) (*Store, error) {
	t.Helper()
	store, err := Open(t.Context(), Options{Endpoint: engine.Endpoint(), Database: "test", Transport: transport,
		Credential: identity.New(embedded.EmulatorCredential{})})
	if err == nil {
		t.Cleanup(store.Close)
	}
	return store, err
}

func TestOpenWithACredential(t *testing.T) {
	t.Run("reads the definitions and changes nothing", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{Ranges: 2})
		openStore(t, engine, Options{}) // creates the containers
		transport := &recording{Transporter: engine}
		store, err := withCredential(t, engine, transport)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"GET /", "GET /dbs/test"}
		for _, c := range schema.ContainerDefinitions() {
			want = append(want, "GET /dbs/test/colls/"+c.ID)
		}
		want = append(want, "DELETE /dbs/test/colls/leases/docs/none") // an item that does not exist
		if !slices.Equal(transport.requests, want) {
			t.Errorf("sent %q\nwant %q", transport.requests, want)
		}
		if len(store.Warnings) > 0 {
			t.Errorf("warns of %q", store.Warnings)
		}
		if err := store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := store.CountItems(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("fails with a role that only allows reading", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		openStore(t, engine, Options{})
		_, err := withCredential(t, engine, reader{engine})
		failed, ok := errors.AsType[*azcore.ResponseError](err)
		if !ok || failed.StatusCode != http.StatusForbidden || !strings.Contains(err.Error(), "items can be written") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("allows commands that only read a role for that", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		openStore(t, engine, Options{})
		store, err := Open(t.Context(), Options{Endpoint: engine.Endpoint(), Database: "test", Existing: true,
			Transport: reader{engine}, Credential: identity.New(embedded.EmulatorCredential{})})
		if err != nil {
			t.Fatal(err)
		}
		store.Close()
	})
	t.Run("reports a missing database", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		_, err := withCredential(t, engine, engine)
		if err == nil || err.Error() != "cosmos: the database \"test\" differs from what Inkfeed needs:\n"+
			"  the database does not exist" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("reports all containers that it cannot work with", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		store := openStore(t, engine, Options{})
		feed := schema.Definition(schema.FeedContainer, "/postId", nil)
		feed.DefaultTimeToLive = nil
		replaceContainers(t, store, feed, schema.Definition(schema.LeasesContainer, "/id", nil))
		c, err := store.SDK.NewContainer(schema.TagsContainer)
		if err == nil {
			_, err = c.Delete(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = withCredential(t, engine, engine)
		different, ok := errors.AsType[*client.DefinitionError](err)
		if !ok || !slices.Equal(different.Differences, []string{
			"feed: its partition key is /postId, not /type: create the container again",
			"feed: time to live is off, not on without a default (-1): expired sessions and markers would stay",
			"feed: it lacks the composite index /creationDate descending, /id descending, by which a query sorts",
			"tags: the container does not exist"}) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("warns of containers that cost more than necessary", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		store := openStore(t, engine, Options{})
		replaceContainers(t, store, schema.Definition(schema.LeasesContainer, "/id", []string{"/type/?", "/mine/?"}))
		store, err := withCredential(t, engine, engine)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(store.Warnings, []string{"leases: it does not index /processor/?: queries that filter by it " +
			"read all items of a logical partition",
			"leases: it indexes /mine/?, which no query uses: each write costs more"}) {
			t.Errorf("warns of %q", store.Warnings)
		}
	})
	t.Run("places comments of an earlier release before it asks for their index", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		store := openStore(t, engine, Options{})
		replaceContainers(t, store, schema.Definition(schema.PostsContainer, "/postId", []string{"/type/?"}))
		item := map[string]any{"id": "c1", "type": "comment", "postId": "p1",
			"creationDate": "2026-01-01T00:00:00.000Z"}
		if err := store.Container(schema.PostsContainer).Create(t.Context(), "p1", item); err != nil {
			t.Fatal(err)
		}
		if _, err := withCredential(t, engine, engine); err == nil {
			t.Fatal("opened a database without the index of comments")
		}
		posts := store.Container(schema.PostsContainer)
		found, err := client.Read[struct{ Place string }](t.Context(), posts, "p1", "c1")
		if err != nil || found.Place == "" {
			t.Errorf("the comment has the place %q, %v", found.Place, err)
		}
	})
}

// reader is a transport for an identity whose role does not allow writing.
type reader struct{ policy.Transporter }

func (r reader) Do(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet {
		return r.Transporter.Do(request)
	}
	answer := httptest.NewRecorder()
	answer.Header().Set("X-Ms-Substatus", "5301")
	answer.WriteHeader(http.StatusForbidden)
	response := answer.Result()
	response.Request = request
	return response, nil
}

// replaceContainers creates containers again with other definitions.
func replaceContainers(t *testing.T, store *Store, definitions ...azcosmos.ContainerProperties) {
	t.Helper()
	for _, d := range definitions {
		c, err := store.SDK.NewContainer(d.ID)
		if err == nil {
			_, err = c.Delete(t.Context(), nil)
		}
		if err == nil {
			_, err = store.SDK.CreateContainer(t.Context(), d, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestManagedIdentity uses the token that DefaultAzureCredential gets from the identity endpoint of App Service and
// Container Apps. The token is an emulator token, which the engine accepts as the service accepts others.
func TestManagedIdentity(t *testing.T) {
	var asked []string
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-IDENTITY-HEADER") != "secret of the platform" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		client := "no client id"
		if r.URL.Query().Has("client_id") {
			client = r.URL.Query().Get("client_id")
		}
		asked = append(asked, r.URL.Query().Get("resource")+" for "+client)
		token, err := embedded.EmulatorCredential{}.GetToken(r.Context(), policy.TokenRequestOptions{})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{"access_token": token.Token, "token_type": "Bearer",
			"expires_on": token.ExpiresOn.Unix(), "resource": r.URL.Query().Get("resource")}); err != nil {
			t.Error(err)
		}
	}))
	defer endpoint.Close()
	t.Setenv("IDENTITY_ENDPOINT", endpoint.URL)
	t.Setenv("IDENTITY_HEADER", "secret of the platform")
	t.Setenv("AZURE_CLIENT_ID", "11111111-2222-3333-4444-555555555555")
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "prod")
	engine := newEngine(t, embedded.Options{})
	open := func(engine *embedded.Engine) (*identity.Credential, error) {
		openStore(t, engine, Options{})
		credential, err := identity.Default()
		if err != nil {
			return nil, err
		}
		store, err := Open(t.Context(), Options{Endpoint: engine.Endpoint(), Database: "test", Transport: engine,
			Credential: credential})
		if err == nil {
			defer store.Close()
			err = store.Ping(t.Context())
		}
		return credential, err
	}
	t.Run("authorizes requests with one token for the account", func(t *testing.T) {
		credential, err := open(engine)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(strings.Replace(engine.Endpoint(), ":443", "", 1), "/") +
			" for 11111111-2222-3333-4444-555555555555"
		if len(asked) == 0 || slices.ContainsFunc(asked, func(s string) bool { return s != want }) {
			t.Errorf("asked for %q, want %q", asked, want)
		}
		if credential.String() != "the identity with the object id emulator (client id localhost, tenant emulator)" {
			t.Errorf("the identity is %s", credential)
		}
	})
	t.Run("takes empty variables for unset ones", func(t *testing.T) {
		t.Setenv("AZURE_CLIENT_ID", "")
		t.Setenv("AZURE_TOKEN_CREDENTIALS", "")
		asked = nil
		if _, err := open(newEngine(t, embedded.Options{})); err != nil { // azidentity has no token for it yet
			t.Fatal(err)
		}
		if len(asked) == 0 || !strings.HasSuffix(asked[0], " for no client id") {
			t.Errorf("asked for %q", asked)
		}
	})
	t.Run("without a token makes the storage unavailable", func(t *testing.T) {
		t.Setenv("IDENTITY_HEADER", "wrong")
		_, err := open(newEngine(t, embedded.Options{})) // azidentity has no token for it yet
		if _, ok := errors.AsType[*identity.TokenError](err); !ok || client.KindOf(err) != domain.Unavailable {
			t.Errorf("error %v", err)
		}
	})
}
