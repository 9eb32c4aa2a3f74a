package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web"
)

// scene is a site with an actor and the resources that addresses name. All of them belong to
// the user "olga": the actor is that user in the columns "owner" and "demoted".
type scene struct {
	*site
	config web.Config // of the site: its stores prepare the scene
	actor  *visitor
	params map[string]string     // values of the parameters in routes
	forms  map[string]url.Values // by route: a form that the owner may submit
}

// newScene returns a copy of the actor's scene with a new server.
func newScene(t testing.TB, actor string) *scene {
	t.Helper()
	template := sceneOf(t, actor)
	site := newSiteOn(t, openDatabase(t, template.template), keyOne)
	s := &scene{site: site, config: config(site.data, site.log, keyOne), actor: site.stranger(),
		params: maps.Clone(template.params), forms: map[string]url.Values{}}
	s.actor.user, s.actor.cookies = template.user, maps.Clone(template.cookies)
	for route, form := range template.forms {
		s.forms[route] = maps.Clone(form)
	}
	return s
}

// sceneTemplate is what copies of a scene begin with.
type sceneTemplate struct {
	template
	user    domain.User // the actor
	cookies map[string]string
	params  map[string]string
	forms   map[string]url.Values
}

var (
	sceneTemplates = map[string]*sceneTemplate{} // by actor
	sceneMutex     sync.Mutex
)

// sceneOf builds the scene of an actor, once.
func sceneOf(t testing.TB, actor string) *sceneTemplate {
	t.Helper()
	sceneMutex.Lock()
	defer sceneMutex.Unlock()
	if sceneTemplates[actor] == nil {
		site := newSite(t)
		s := buildScene(site, config(site.data, site.log, keyOne), actor)
		sceneTemplates[actor] = &sceneTemplate{site.data.snapshot(), s.actor.user, s.actor.cookies, s.params, s.forms}
	}
	return sceneTemplates[actor]
}

// scene builds a scene through the pages of the site and through the stores in c.
func buildScene(s *site, c web.Config, actor string) *scene {
	s.t.Helper()
	sc := &scene{site: s, config: c}
	sc.setRole(sc.joins("rosa"), domain.RoleAdministrator) // so that others may stop to be one
	owner := sc.joins("olga")
	sc.setRole(owner, domain.RoleAuthor)
	post, comment, draft := sc.writings(owner)
	invitation, err := domain.NewInvitation(owner.user, 1, 1, "", time.Now())
	sc.must(err)
	sc.must(c.Invitations.Create(s.t.Context(), invitation))
	sc.params = map[string]string{
		"id": post.ID, "slug": names.Slug(post.Title), "comment": comment.ID, "draft": draft.PostID, "revision": "1",
		"username": "olga", "account": owner.user.ID, "year": fmt.Sprint(post.Created.Year()), "tag": "go",
		"name": sc.picture(owner), "number": "7.xml", "code": invitation.Code, "passkey": sc.addPasskey(owner, "owners"),
		"file": sc.stylesheet(),
	}
	sc.params["secret"], err = c.Drafts.Share(s.t.Context(), owner.user.ID, draft.PostID)
	sc.must(err)
	sc.params["token"], sc.params["link"] = sc.mailTokens(owner)
	sc.forms = sc.validForms(post, comment, draft)

	switch actor {
	case "anonymous":
		sc.actor = s.stranger()
	case "owner":
		sc.actor = owner
	case "demoted":
		sc.actor = owner
		sc.setRole(owner, domain.RoleReader)
	default:
		sc.actor = sc.joins("actor")
		sc.addPasskey(sc.actor, "actors")
		sc.setRole(sc.actor, map[string]domain.Role{"other": domain.RoleAuthor, "reader": domain.RoleReader,
			"moderator": domain.RoleModerator, "administrator": domain.RoleAdministrator, "suspended": domain.RoleAuthor}[actor])
		if actor == "suspended" {
			_, err := c.Users.Suspend(s.t.Context(), sc.actor.user.ID, "Spam", time.Now())
			sc.must(err)
		}
	}
	return sc
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// joins signs up a user with that name.
func (s *scene) joins(name string) *visitor {
	s.t.Helper()
	v := s.stranger()
	v.post("/signup", "username", name, "password", password, "next", "/").wantRedirect(http.StatusSeeOther, "/")
	var err error
	v.user, err = s.config.Users.ByName(s.t.Context(), name)
	s.must(err)
	return v
}

func (s *scene) setRole(v *visitor, role domain.Role) {
	s.t.Helper()
	_, err := s.config.Users.SetRole(s.t.Context(), v.user.ID, role)
	s.must(err)
}

// writings creates a post with two revisions, a comment on it, and a draft.
func (s *scene) writings(owner *visitor) (domain.Post, domain.Comment, domain.Draft) {
	s.t.Helper()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	d := domain.Draft{PostID: domain.NewID(), Title: "A title", Content: "A text."}
	_, err := s.config.Drafts.Publish(s.t.Context(), owner.user, d, at)
	s.must(err)
	d.Content, d.Tags, d.Revision = "Another text.", "go", 1
	post, err := s.config.Drafts.Publish(s.t.Context(), owner.user, d, at.Add(time.Hour))
	s.must(err)
	comment, err := domain.NewComment(owner.user, post.ID, "Mine.", at.Add(time.Minute))
	s.must(err)
	_, err = s.config.Posts.AddComment(s.t.Context(), comment)
	s.must(err)
	draft, err := s.config.Drafts.Save(s.t.Context(),
		domain.Draft{PostID: domain.NewID(), AuthorID: owner.user.ID, Title: "A draft", Content: "Not done."})
	s.must(err)
	return post, comment, draft
}

// picture uploads a picture and returns its name.
func (s *scene) picture(owner *visitor) string {
	s.t.Helper()
	owner.upload("/images", greyPNG(s.t, 4))
	images, err := s.config.Images.Of(s.t.Context(), owner.user.ID, 1)
	s.must(err)
	if len(images.Items) != 1 {
		s.t.Fatalf("the owner has %d images, want 1", len(images.Items))
	}
	return images.Items[0].Name.String()
}

// stylesheet is the name of the file that pages link to.
func (s *scene) stylesheet() string {
	href := s.stranger().get("/").page().Find(`link[rel="stylesheet"]`).AttrOr("href", "")
	return strings.TrimPrefix(href, "/static/")
}

// greyPNG is a square picture with that many pixels on each side.
func greyPNG(t testing.TB, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// addPasskey gives a user a passkey and returns the parameter that addresses name it by.
func (s *scene) addPasskey(v *visitor, id string) string {
	s.t.Helper()
	s.changeCredentials(v, func(c domain.Credentials) domain.Credentials {
		c.Passkeys = append(slices.Clone(c.Passkeys), domain.Passkey{ID: id})
		return c
	})
	return domain.SecretDigest(id)[:24]
}

func (s *scene) changeCredentials(v *visitor, change func(domain.Credentials) domain.Credentials) domain.Credentials {
	s.t.Helper()
	c, err := s.config.Users.Credentials(s.t.Context(), v.user.ID)
	s.must(err)
	c, err = s.config.Users.SetCredentials(s.t.Context(), change(c))
	s.must(err)
	return c
}

// mailTokens stores the tokens of two mails to a user: one verifies an address, the other resets
// the password.
func (s *scene) mailTokens(v *visitor) (verify, reset string) {
	s.t.Helper()
	const address = "owner@example.org"
	verify, reset = strings.Repeat("A", 26), strings.Repeat("B", 26)
	c := s.changeCredentials(v, func(c domain.Credentials) domain.Credentials { return c.WithAwaitedEmail(address) })
	payload, err := json.Marshal(map[string]any{"email": address, "version": c.Version})
	s.must(err)
	for kind, token := range map[domain.SecretKind]string{domain.SecretVerifyEmail: verify, domain.SecretReset: reset} {
		s.must(s.config.Secrets.Put(s.t.Context(), domain.Secret{Kind: kind, Digest: domain.SecretDigest(token),
			UserID: v.user.ID, Payload: payload, Expires: time.Now().Add(time.Hour)}))
	}
	return verify, reset
}

// typedText is the text that the actors submit.
const typedText = "What somebody has typed."

// validForms are the forms of all addresses that need fields.
func (s *scene) validForms(p domain.Post, comment domain.Comment, draft domain.Draft) map[string]url.Values {
	neighbour := s.joins("neighbour").user.ID
	text := url.Values{"title": {"A title"}, "content": {typedText}, "tags": {""}, "do": {"publish"}}
	with := func(v url.Values, pairs ...string) url.Values {
		v = maps.Clone(v)
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	none := url.Values{}
	return map[string]url.Values{
		"POST /login":                                with(none, "username", "olga", "password", password),
		"POST /signup":                               with(none, "username", "somebody", "password", password),
		"POST /settings/username":                    with(none, "username", "renamed"),
		"POST /settings/profile":                     with(none, "bio", typedText),
		"POST /confirm":                              with(none, "password", password),
		"POST /passkeys/challenge":                   with(none, "for", "new"),
		"POST /settings/security/passkeys/new":       with(none, "name", "Phone"),
		"POST /settings/security/passkeys/:passkey":  with(none, "name", "Phone"),
		"POST /settings/password":                    with(none, "current", password, "password", newPassword),
		"POST /settings/email":                       with(none, "email", "somebody@example.org"),
		"POST /reset":                                with(none, "account", "olga"),
		"POST /reset/:link":                          with(none, "password", newPassword),
		"POST /settings/delete":                      with(none, "password", password),
		"POST /posts":                                with(text, "post", domain.NewID(), "revision", "0", "version", "0"),
		"POST /preview":                              with(text),
		"POST /drafts/:id":                           with(text, "post", p.ID, "revision", fmt.Sprint(p.Revision), "version", "0"),
		"POST /drafts/:id/delete":                    with(none, "version", fmt.Sprint(draft.Version)),
		"POST /posts/:id":                            with(text, "post", p.ID, "revision", fmt.Sprint(p.Revision), "version", "0"),
		"POST /posts/:id/versions/:revision/restore": with(none, "revision", fmt.Sprint(p.Revision)),
		"POST /posts/:id/comments":                   with(none, "content", typedText, "attempt", domain.NewID()),
		"POST /posts/:id/comments/:comment/edit":     with(none, "content", typedText, "began", ""),
		"POST /settings/blocks":                      with(none, "user", neighbour),
		"POST /settings/blocks/remove":               with(none, "user", neighbour),
		"POST /posts/:id/report":                     with(none, "reason", "other", "text", typedText),
		"POST /posts/:id/comments/:comment/report":   with(none, "reason", "other", "text", typedText),
		"POST /posts/:id/moderate":                   with(none, "do", "hide", "why", "spam", "version", "0"),
		"POST /posts/:id/comments/:comment/moderate": with(none, "do", "hide", "why", "spam", "version", "0"),
		"POST /admin/users/:id/role":                 with(none, "role", "reader"),
		"POST /admin/users/:id/suspend":              with(none, "reason", "Spam"),
		"POST /admin/invitations":                    with(none, "uses", "1", "days", "1"),
		"POST /admin/settings":                       with(none, "registration", "closed", "role", "reader", "days", "3", "version", fmt.Sprint(s.data.settings().Version)),
		"POST /images/:name":                         with(none, "alt", "A grey square"),
	}
}
