package config

import (
	"context"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

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

func TestErrorsOfAzidentityBecomeOneLine(t *testing.T) {
	text := "DefaultAzureCredential: failed to acquire a token.\nAttempted credentials:\n\tA: missing\n" +
		"----------\nRESPONSE 403: 403 Forbidden\r\n----------\n\n"
	const want = "DefaultAzureCredential: failed to acquire a token.; Attempted credentials:; A: missing; " +
		"RESPONSE 403: 403 Forbidden"
	if got := oneLine(text); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
