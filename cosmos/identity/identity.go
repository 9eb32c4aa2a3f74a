// Package identity lets the stores work without keys: with tokens of an identity of Microsoft Entra
// ID, such as the managed identity of an app on Azure or the user who logged in by "az login".
package identity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// Credential is a token credential that remembers whose tokens it returned, so that errors can name
// the identity. It is safe for concurrent use.
type Credential struct {
	source azcore.TokenCredential
	last   atomic.Pointer[claims]
}

// claims are the claims of a token that identify its subject without personal data.
// See "Access token claims reference", learn.microsoft.com/entra/identity-platform/access-token-claims-reference.
type claims struct {
	Object string `json:"oid"`
	Client string `json:"appid"`
	Tenant string `json:"tid"`
}

// New returns a credential with the tokens of a source.
func New(source azcore.TokenCredential) *Credential { return &Credential{source: source} }

// Default returns azidentity's DefaultAzureCredential. It tries, in this order, the variables of a
// service principal, a workload identity, a managed identity (AZURE_CLIENT_ID selects one that was
// assigned by a user), and the log-ins of the tools az, azd and Azure PowerShell. The variable
// AZURE_TOKEN_CREDENTIALS restricts this list. Default unsets these two variables if they are empty:
// azidentity distinguishes empty variables from missing ones, but no other setting does.
func Default() (*Credential, error) {
	for _, name := range []string{"AZURE_CLIENT_ID", "AZURE_TOKEN_CREDENTIALS"} {
		if os.Getenv(name) == "" {
			if err := os.Unsetenv(name); err != nil {
				return nil, fmt.Errorf("unset %s: %w", name, err)
			}
		}
	}
	source, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, &TokenError{err}
	}
	return New(source), nil
}

// tokenTimeout bounds the time to obtain a token. It is shorter than the 60 s in which the SDK reads
// the account: if that time passes, the SDK reports only that, not that there was no token.
const tokenTimeout = 20 * time.Second

// GetToken returns a token. It fails with a [TokenError], after 20 seconds at the latest. A managed
// identity whose endpoint does not answer would otherwise be asked again for about 97 seconds.
func (c *Credential) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	token, err := c.source.GetToken(ctx, o)
	if err != nil {
		return token, &TokenError{err}
	}
	c.last.Store(claimsOf(token.Token))
	return token, nil
}

// String identifies the subject of the last token by its ids, which are no personal data.
func (c *Credential) String() string {
	last := c.last.Load()
	switch {
	case last == nil || *last == claims{}:
		return "the identity"
	case last.Object == "":
		return fmt.Sprintf("the identity with the client id %s (tenant %s)", last.Client, last.Tenant)
	}
	return fmt.Sprintf("the identity with the object id %s (client id %s, tenant %s)", last.Object, last.Client,
		last.Tenant)
}

// claimsOf returns the claims of a JWT. It does not verify the token, which only the service can. It
// returns no claims for a token of another form.
func claimsOf(token string) *claims {
	found := new(claims)
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return found
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, found) != nil {
		return new(claims)
	}
	return found
}

// TokenError reports that no token could be obtained. It hides the types of its cause, which would
// make the SDK repeat the request as if the network had failed.
type TokenError struct{ cause error }

func (e *TokenError) Error() string { return e.cause.Error() }

// NonRetriable tells the SDK's pipeline not to retry the request. The sources of tokens retry
// themselves.
func (e *TokenError) NonRetriable() {}
