package identity_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/identity"
)

// source returns a token or an error.
type source struct {
	token string
	err   error
}

func (s source) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: s.token}, s.err
}

// tokenWith returns a JWT with these claims.
func tokenWith(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbmF0dXJl"
}

func TestCredentialNamesTheSubjectOfItsToken(t *testing.T) {
	for name, tt := range map[string]struct{ token, want string }{
		"managed identity": {tokenWith(`{"oid":"o","appid":"c","tid":"t","xms_mirid":"/subscriptions/s"}`),
			"the identity with the object id o (client id c, tenant t)"},
		"user, without personal data": {
			tokenWith(`{"oid":"o","appid":"c","tid":"t","upn":"ada@example.org","name":"Ada"}`),
			"the identity with the object id o (client id c, tenant t)"},
		"no object id":          {tokenWith(`{"appid":"c","tid":"t"}`), "the identity with the client id c (tenant t)"},
		"no claims":             {tokenWith(`{}`), "the identity"},
		"claims of other types": {tokenWith(`{"oid":1}`), "the identity"},
		"claims not in JSON":    {tokenWith(`oid`), "the identity"},
		"claims not in base64":  {"e30.!.c2lnbmF0dXJl", "the identity"},
		"an opaque token":       {"secret", "the identity"},
	} {
		t.Run(name, func(t *testing.T) {
			c := identity.New(source{token: tt.token})
			if got := c.String(); got != "the identity" {
				t.Errorf("before the first token: %s", got)
			}
			if token, err := c.GetToken(t.Context(), policy.TokenRequestOptions{}); err != nil ||
				token.Token != tt.token {
				t.Fatalf("the token is %q, %v", token.Token, err)
			}
			if got := c.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFailureToGetATokenIsNoFailureOfTheNetwork(t *testing.T) {
	cause := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
	_, err := identity.New(source{err: cause}).GetToken(t.Context(), policy.TokenRequestOptions{})
	if _, ok := errors.AsType[*identity.TokenError](err); !ok || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v", err)
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		t.Error("the SDK would repeat the request as if the account had not answered")
	}
	if _, ok := errors.AsType[interface {
		error
		NonRetriable()
	}](err); !ok {
		t.Error("the SDK would repeat the request")
	}
}

// silent is a source that does not answer.
type silent struct{}

func (silent) GetToken(ctx context.Context, _ policy.TokenRequestOptions) (azcore.AccessToken, error) {
	<-ctx.Done()
	return azcore.AccessToken{}, fmt.Errorf("managed identity: %w", ctx.Err())
}

func TestSourceThatDoesNotAnswerEndsBeforeTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the SDK's limit for reading the account
		defer cancel()
		_, err := identity.New(silent{}).GetToken(ctx, policy.TokenRequestOptions{})
		if _, ok := errors.AsType[*identity.TokenError](err); !ok ||
			!strings.Contains(err.Error(), "managed identity") {
			t.Errorf("error %v", err)
		}
		if ctx.Err() != nil {
			t.Error("the request has ended: the SDK would report that in place of the missing token")
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func FuzzTokensOfAnyForm(f *testing.F) {
	for _, token := range []string{"", "..", "a.b.c", tokenWith(`{"oid":"o"}`), tokenWith(`{"oid":null}`),
		tokenWith(`[`)} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		c := identity.New(source{token: token})
		if _, err := c.GetToken(t.Context(), policy.TokenRequestOptions{}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(c.String(), "the identity") {
			t.Errorf("the identity is %s", c)
		}
	})
}
