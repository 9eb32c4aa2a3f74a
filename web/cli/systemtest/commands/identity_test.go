package commands

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// account serves an account on a loopback address that gives one answer to each request.
func account(t *testing.T, status int, substatus, message string) (env map[string]string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Ms-Substatus", substatus)
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"code":"Forbidden","message":"%s\r\nActivityId: 0000"}`, message)
	}))
	t.Cleanup(server.Close)
	return map[string]string{"COSMOS_ENDPOINT": server.URL, "COSMOS_INSECURE_TLS": "true"}
}

func TestFailureWithoutAKeyNamesWhatIsMissing(t *testing.T) {
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential") // no other source of tokens is tried
	withRegions := func(env map[string]string) map[string]string {
		return harness.With(env, "COSMOS_REGIONS", "Atlantis")
	}
	for name, tt := range map[string]struct {
		env   map[string]string
		want  []string
		lines int
	}{
		"the role, its scope and the identity": {
			env: account(t, http.StatusForbidden, "5301", "Request blocked by Auth inkfeed : Request is blocked "+
				"because principal [emulator] does not have required RBAC permissions to perform action "+
				"[Microsoft.DocumentDB/databaseAccounts/readMetadata] on resource [/]. Learn more: aka.ms."),
			want: []string{
				"COSMOS_ENDPOINT: the identity with the object id emulator (client id localhost, tenant emulator)",
				`the role "Cosmos DB Built-in Data Contributor"`, "the scope /dbs/inkfeed",
				"the action Microsoft.DocumentDB/databaseAccounts/readMetadata on /"}},
		"the firewall": {
			env: account(t, http.StatusForbidden, "0", "Request originated from IP 192.0.2.1 through public internet."),
			want: []string{"COSMOS_ENDPOINT: ", "refuses the identity",
				"Request originated from IP 192.0.2.1 through public internet"}},
		"the key of an engine that has its own": {
			env:  harness.With(harness.OnEngine(t, "--key", "dGhlIGtleSBvZiB0aGlzIHRlc3Q="), "COSMOS_KEY", ""),
			want: []string{"COSMOS_KEY: not set", "accepts no emulator tokens"}},
		"the database": {env: harness.With(harness.OnEngine(t), "COSMOS_KEY", ""),
			want: []string{"COSMOS_DATABASE: ", "the database does not exist", "inkfeed schema"}, lines: 3},
		"the region": {env: withRegions(harness.OnEngine(t)),
			want: []string{`COSMOS_REGIONS: cosmos: the account has no region "Atlantis", only South Central US`}},
		"the identity for the database": {
			env:  map[string]string{"COSMOS_ENDPOINT": "https://inkfeed.documents.azure.com:443/"},
			want: []string{"COSMOS_KEY: not set, and there is no identity", "az login", "EnvironmentCredential"}},
		"the identity for pictures": {
			env: map[string]string{"INKFEED_DATA": t.TempDir(),
				"INKFEED_BLOB_CONTAINER_URL": "https://inkfeed.blob.core.windows.net/pictures"},
			want: []string{"INKFEED_BLOB_CONTAINER_URL: has no signature, and there is no identity"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := harness.Try(t, harness.With(tt.env, "INKFEED_SESSION_KEYS", strings.Repeat("5a", 32)),
				"--addr", "127.0.0.1:0")
			if err == nil {
				t.Fatal("the server started")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
			if lines := strings.Count(err.Error(), "\n") + 1; lines != max(tt.lines, 1) {
				t.Errorf("the error has %d lines: %v", lines, err)
			}
		})
	}
	t.Run("an account without keys", func(t *testing.T) {
		env := account(t, http.StatusUnauthorized, "5202", "Local Authorization is disabled. Use an AAD token to "+
			"authorize all requests.")
		_, err := harness.Try(t, harness.With(env, "COSMOS_KEY", "a2V5"), "verify")
		if err == nil || !strings.Contains(err.Error(), "COSMOS_KEY: ") ||
			!strings.Contains(err.Error(), "accepts no keys: leave it unset") {
			t.Errorf("error %v", err)
		}
	})
}
