package embedded

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// The marks of an emulator token. SDKs create such tokens themselves for their tests: JWTs whose
// third part is the text of the well-known key. No key can produce that part, but it can be
// compared.
const (
	emulatorKeyID    = "CosmosEmulatorPrimaryMaster"
	emulatorAudience = "https://localhost.localhost"
	serviceAudience  = "https://cosmos.azure.com"
)

// tokenSkew is the maximum difference between the clocks of the token's issuer and the engine.
const tokenSkew = 5 * time.Minute

// checkToken accepts emulator tokens if the engine has the emulator's key. Everyone knows that key
// and could sign any request with it, so a token never grants more than is open already. An engine
// with a key of its own rejects all tokens. A token does not sign the path. The worst effect of a
// changed path would be to delete a container, which tokens are not allowed to do.
func (e *Engine) checkToken(q *request, token string) error {
	if e.key != WellKnownKey {
		return errToken("this account takes no tokens but signatures by its key")
	}
	if err := checkEmulatorToken(token, q.host(), time.Now()); err != nil {
		return err
	}
	if isControlPlane(q) {
		return apierror.New(http.StatusForbidden, apierror.SubControlPlane,
			"The given request [%s /%s] cannot be authorized by AAD token in data plane.", q.Method,
			strings.Join(q.segs, "/"))
	}
	return nil
}

// isControlPlane reports whether a request is out of bounds for tokens. With a token, clients read
// and write items and read the definitions of databases and containers.
func isControlPlane(q *request) bool {
	switch {
	case len(q.segs) > 0 && q.segs[0] == "offers":
		return true
	case len(q.segs) > 4 && q.segs[4] == "docs":
		return false
	case len(q.segs) > 4 && q.segs[4] == "pkranges": // a POST splits a range, whatever its headers say
		return q.Method != http.MethodGet
	}
	return q.Method != http.MethodGet && !(q.Method == http.MethodPost && q.isQuery())
}

func errToken(reason string) error {
	return apierror.New(http.StatusUnauthorized, apierror.SubNone, "The AAD token is not accepted: %s.", reason)
}

// checkEmulatorToken checks a token that a client presents to a host.
func checkEmulatorToken(token, host string, now time.Time) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return errToken("it has not three parts")
	}
	key, err := base64url(parts[2])
	if err != nil || subtle.ConstantTimeCompare(key, []byte(WellKnownKey)) != 1 {
		return errToken("its signature is not the emulator's")
	}
	header, err := tokenPart(parts[0])
	if err != nil || !strings.EqualFold(header.Member("typ").Str(), "JWT") ||
		header.Member("kid").Str() != emulatorKeyID {
		return errToken("its header is not the emulator's")
	}
	claims, err := tokenPart(parts[1])
	if err != nil {
		return errToken("its claims are not JSON")
	}
	from, fromOK := claims.Member("nbf").Int()
	until, untilOK := claims.Member("exp").Int()
	switch {
	case !fromOK || !untilOK:
		return errToken("it does not say when it is valid")
	case now.Add(tokenSkew).Unix() < from:
		return errToken("it is not valid yet")
	case now.Add(-tokenSkew).Unix() >= until:
		return errToken("it has expired")
	case !hasAudience(claims.Member("aud"), host):
		return errToken("it is for another audience")
	}
	return nil
}

// hasAudience reports whether an audience claim, a string or a list, names this account: as the
// emulator's, as any account of the service, or by its host name.
func hasAudience(claim value.Value, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	audiences := []value.Value{claim}
	if claim.Kind() == value.Array {
		audiences = claim.Elems()
	}
	return slices.ContainsFunc(audiences, func(v value.Value) bool {
		switch strings.TrimSuffix(v.Str(), "/") {
		case emulatorAudience, serviceAudience, "https://" + host:
			return true
		}
		return false
	})
}

func tokenPart(part string) (value.Value, error) {
	text, err := base64url(part)
	if err != nil {
		return value.Value{}, err
	}
	return value.Parse(string(text))
}

// base64url decodes base64url with or without padding.
func base64url(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// EmulatorCredential is the azcore.TokenCredential of emulators, and of engines with the well-known
// key. Its tokens contain nothing secret. Like the key, they grant access wherever that key does, but
// only to data and not to the control plane.
type EmulatorCredential struct{}

// GetToken returns a new emulator token.
func (EmulatorCredential) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	now := time.Now()
	expires := now.Add(emulatorTokenLife)
	header := fmt.Sprintf(`{"typ":"JWT","alg":"RS256","x5t":"%s","kid":"%[1]s"}`, emulatorKeyID)
	claims := fmt.Sprintf(`{"aud":"%s","iss":"https://sts.fake-issuer.net/emulator","nbf":%d,"iat":%[2]d,"exp":%d,`+
		`"appid":"localhost","oid":"emulator","tid":"emulator","sub":"localhost","ver":"1.0",`+
		`"scp":"user_impersonation"}`, emulatorAudience, now.Unix(), expires.Unix())
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(header)) + "." + encode([]byte(claims)) + "." + encode([]byte(WellKnownKey))
	return azcore.AccessToken{Token: token, ExpiresOn: expires}, nil
}

// emulatorTokenLife is how long an emulator token is valid, as long as those of the SDKs.
const emulatorTokenLife = 2 * time.Hour
