package factor

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"inkfeed/domain"
)

// MaxAnswer bounds, in bytes, what a browser sends in a passkey's name.
const MaxAnswer = 32 << 10

// ChallengeTime is how long a challenge may be answered.
const ChallengeTime = 5 * time.Minute

// Site is what passkeys are made for, and only work with: WebAuthn's relying party.
type Site struct {
	id     string // the host without its port
	origin string
}

// SiteAt is the site at an address such as https://blog.example.org. It reports false where
// browsers have no passkeys: at a bare number.
func SiteAt(address string) (Site, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || net.ParseIP(u.Hostname()) != nil {
		return Site{}, false
	}
	return Site{id: strings.ToLower(u.Hostname()), origin: strings.ToLower(u.Scheme + "://" + u.Host)}, true
}

// Holder is whose passkeys it is about.
type Holder struct {
	ID          string
	Username    string
	DisplayName string
	Passkeys    []domain.Passkey
}

// Challenge is what an authenticator is asked.
type Challenge struct {
	ID      string // random; whoever answers says it
	Options []byte // what the browser is told, in JSON
	State   []byte // what the answer is checked against
}

// Register asks for a new passkey, of a kind that names its user and makes sure of the user
// by itself. Whose authenticator holds one already is told so by the browser.
func (s Site) Register(h Holder) (Challenge, error) {
	server, err := s.server()
	if err != nil {
		return Challenge{}, err
	}
	user := h.user()
	var known []protocol.CredentialDescriptor
	for _, c := range user.credentials {
		known = append(known, c.Descriptor())
	}
	options, state, err := server.BeginRegistration(user, webauthn.WithExclusions(known),
		webauthn.WithConveyancePreference(protocol.PreferNoAttestation),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(), ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired}))
	if err != nil {
		return Challenge{}, err
	}
	return challenge(options.Response, state)
}

// Registered checks the answer to Register, and is the new passkey without a name.
func (s Site) Registered(h Holder, state, answer []byte, now time.Time) (domain.Passkey, error) {
	server, session, err := s.resume(state)
	if err != nil {
		return domain.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return domain.Passkey{}, refused(err)
	}
	credential, err := server.CreateCredential(h.user(), session, parsed)
	if err != nil {
		return domain.Passkey{}, refused(err)
	}
	credential.Attestation = webauthn.CredentialAttestation{} // none was asked for
	return passkey(*credential, domain.Passkey{Created: domain.Timestamp(now)})
}

// Ask asks for one of a user's passkeys; of no user, for anybody's.
func (s Site) Ask(h Holder) (Challenge, error) {
	server, err := s.server()
	if err != nil {
		return Challenge{}, err
	}
	required := webauthn.WithUserVerification(protocol.VerificationRequired)
	if h.ID == "" {
		options, state, err := server.BeginDiscoverableLogin(required)
		if err != nil {
			return Challenge{}, err
		}
		return challenge(options.Response, state)
	}
	options, state, err := server.BeginLogin(h.user(), required)
	if err != nil {
		return Challenge{}, err
	}
	return challenge(options.Response, state)
}

// Answerer reads from an answer which challenge it is to, and which user says so: that it is
// that user's is for Answered to check. The user is empty when the authenticator names none.
func Answerer(answer []byte) (challengeID, userID string, err error) {
	var said struct {
		Response struct {
			ClientData protocol.URLEncodedBase64 `json:"clientDataJSON"`
			UserHandle protocol.URLEncodedBase64 `json:"userHandle"`
		} `json:"response"`
	}
	var client struct {
		Challenge string `json:"challenge"`
	}
	if len(answer) > MaxAnswer {
		return "", "", refused(errors.New("too long"))
	}
	if err := errors.Join(json.Unmarshal(answer, &said), json.Unmarshal(said.Response.ClientData,
		&client)); err != nil {
		return "", "", refused(err)
	}
	return client.Challenge, string(said.Response.UserHandle), nil
}

// Answered checks the answer to Ask, and is the passkey that was used, as it is to be kept.
func (s Site) Answered(h Holder, state, answer []byte, now time.Time) (domain.Passkey, error) {
	server, session, err := s.resume(state)
	if err != nil {
		return domain.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return domain.Passkey{}, refused(err)
	}
	var used *webauthn.Credential
	if len(session.UserID) > 0 {
		used, err = server.ValidateLogin(h.user(), session, parsed)
	} else {
		used, err = server.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return h.user(), nil },
			session, parsed)
	}
	if err != nil {
		return domain.Passkey{}, refused(err)
	}
	if used.Authenticator.CloneWarning {
		return domain.Passkey{}, refused(errors.New("its counter went back: there may be a copy of it"))
	}
	for _, p := range h.Passkeys {
		if p.ID == passkeyID(used.ID) {
			p.LastUsed = domain.Timestamp(now)
			return passkey(*used, p)
		}
	}
	return domain.Passkey{}, refused(errors.New("not among the user's"))
}

func (s Site) server() (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{RPID: s.id, RPDisplayName: "Inkfeed", RPOrigins: []string{s.origin}})
}

func (s Site) resume(state []byte) (*webauthn.WebAuthn, webauthn.SessionData, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return nil, session, refused(err) // of an older release
	}
	server, err := s.server()
	return server, session, err
}

func challenge(options any, state *webauthn.SessionData) (Challenge, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return Challenge{}, err
	}
	kept, err := json.Marshal(state)
	return Challenge{ID: state.Challenge, Options: text, State: kept}, err
}

// refused is why a passkey was not taken. The cause is for the log: people can do nothing
// but try again.
func refused(err error) error {
	return &domain.Error{Kind: domain.Invalid, Err: err, Fields: map[string]string{
		"passkey": "This passkey was not accepted. Try again or log in another way."}}
}

func passkeyID(id []byte) string { return base64.RawURLEncoding.EncodeToString(id) }

// passkey is p with what the credential has become.
func passkey(c webauthn.Credential, p domain.Passkey) (domain.Passkey, error) {
	data, err := json.Marshal(c)
	p.ID, p.Data = passkeyID(c.ID), data
	return p, err
}

// user is a holder as the library knows one.
type user struct {
	Holder
	credentials []webauthn.Credential
}

// user leaves out what the library cannot read, which opens nothing.
func (h Holder) user() user {
	u := user{Holder: h}
	for _, p := range h.Passkeys {
		var c webauthn.Credential
		if json.Unmarshal(p.Data, &c) == nil {
			u.credentials = append(u.credentials, c)
		}
	}
	return u
}

func (u user) WebAuthnID() []byte                         { return []byte(u.ID) }
func (u user) WebAuthnName() string                       { return u.Username }
func (u user) WebAuthnCredentials() []webauthn.Credential { return u.credentials }
func (u user) WebAuthnDisplayName() string {
	if u.DisplayName != "" {
		return u.DisplayName
	}
	return u.Username
}
