package config

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/identity"
)

func TestRefusedPicturesNameTheRoleAndTheIdentity(t *testing.T) {
	c := New(func(name string) string {
		if name == "INKFEED_BLOB_CONTAINER_URL" {
			return "https://account.blob.core.windows.net/pictures"
		}
		return ""
	})
	c.azure = identity.New(embedded.EmulatorCredential{})
	if _, err := c.azure.GetToken(context.Background(), policy.TokenRequestOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		failed azcore.ResponseError
		want   []string
	}{
		"without a role": {azcore.ResponseError{StatusCode: 403, ErrorCode: "AuthorizationPermissionMismatch"},
			[]string{"object id emulator", `"Storage Blob Data Contributor"`, "scope of the container"}},
		"without a container": {azcore.ResponseError{StatusCode: 404, ErrorCode: "ContainerNotFound"},
			[]string{"the container does not exist"}},
		"by the firewall": {azcore.ResponseError{StatusCode: 403, ErrorCode: "AuthorizationFailure"},
			[]string{"refuses the identity with the object id emulator"}},
		"for another reason": {azcore.ResponseError{StatusCode: 503, ErrorCode: "ServerBusy"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.ExplainFilesError(&tt.failed).Error()
			for _, want := range append(tt.want, "INKFEED_BLOB_CONTAINER_URL: ") {
				if !strings.Contains(text, want) {
					t.Errorf("the error lacks %q: %s", want, text)
				}
			}
		})
	}
}

func TestTokensAreSentToStorageAccountsOnly(t *testing.T) {
	for address, allowed := range map[string]bool{
		"https://account.blob.core.windows.net/pictures":            true,
		"https://Account.Blob.Core.Windows.net:443/pictures":        true,
		"https://account.z01.blob.storage.azure.net/pictures":       true,
		"https://account.blob.core.usgovcloudapi.net/pictures":      true,
		"https://account.blob.core.chinacloudapi.cn/pictures":       true,
		"https://127.0.0.1:10000/account/pictures":                  true,
		"https://blobs.example.org/pictures?sig=secret":             true, // needs no token
		"https://blobs.example.org/pictures":                        false,
		"https://account.blob.core.windows.net.example.org/c":       false,
		"https://blobs.example.org/account.blob.core.windows.net/c": false,
		"https://accountblob.core.windows.net/pictures":             false,
		"https://blob.core.windows.net@blobs.example.org/pictures":  false,
	} {
		t.Run(address, func(t *testing.T) {
			err := checkContainerURL(address)
			if (err == nil) != allowed {
				t.Fatalf("error %v", err)
			}
			if u, parseErr := url.Parse(address); !allowed && (parseErr != nil ||
				!strings.Contains(err.Error(), u.Hostname())) {
				t.Errorf("the error does not name the host: %v", err)
			}
		})
	}
}

func TestRefusedActionsAreNamed(t *testing.T) {
	const action = "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items/delete"
	const refusal = "Request blocked by Auth account : Request is blocked because principal [p] does not have " +
		"required RBAC permissions to perform action [" + action + "]"
	c := New(func(string) string { return "" })
	for _, resource := range []string{" on resource [dbs/blog]",
		" with OperationType [2] and ResourceType [0] on resource [dbs/blog]"} {
		body, err := json.Marshal(map[string]string{"message": refusal + resource + ". Learn more: https://aka.ms/x."})
		if err != nil {
			t.Fatal(err)
		}
		err = runtime.NewResponseError(&http.Response{StatusCode: http.StatusForbidden,
			Header:  http.Header{"X-Ms-Substatus": {"5301"}},
			Body:    io.NopCloser(bytes.NewReader(body)),
			Request: &http.Request{Method: http.MethodDelete, URL: &url.URL{}}})
		text := c.explainIdentityError(identity.New(embedded.EmulatorCredential{}), err).Error()
		if !strings.Contains(text, "may not perform the action "+action+" on dbs/blog: assign it the role") {
			t.Errorf("for%s: %s", resource, text)
		}
	}
}

func TestErrorsOfAzidentityBecomeOneLine(t *testing.T) {
	text := "DefaultAzureCredential: failed to acquire a token.\nAttempted credentials:\n\tA: missing\n" +
		"----------\nRESPONSE 403: 403 Forbidden\r\n----------\n\n"
	const want = "DefaultAzureCredential: failed to acquire a token.; Attempted credentials:; A: missing; " +
		"RESPONSE 403: 403 Forbidden"
	if got := oneLine(text); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
