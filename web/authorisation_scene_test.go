package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	view "inkfeed/views/writing"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// scene is a site with an actor and the resources that addresses name. All of them belong to the user "olga". The actor
// is that user in the columns "owner" and "demoted".
type scene struct {
	*webtest.Site
	script script
	config web.Config // of the site: its stores prepare the scene
	actor  *webtest.Visitor
	params map[string]string     // values of the route parameters
	forms  map[string]url.Values // valid forms of the owner, by route
}

// newScene returns a copy of the actor's scene with a new server.
func newScene(t testing.TB, actor string) *scene {
	t.Helper()
	return newSceneIn(t, latin, actor)
}

// newSceneIn is newScene with texts of a script.
func newSceneIn(t testing.TB, script script, actor string) *scene {
	t.Helper()
	template := sceneOf(t, script, actor)
	site := &webtest.Site{T: t, Data: webtest.OpenDatabase(t, template.Template), Log: &bytes.Buffer{}}
	config := webtest.Config(site.Data, site.Log, webtest.KeyOne)
	withURL(&config)
	site.Restart(config)
	s := &scene{Site: site, script: script, config: config, actor: site.Anonymous(),
		params: maps.Clone(template.params), forms: map[string]url.Values{}}
	s.actor.User, s.actor.Cookies = template.user, maps.Clone(template.cookies)
	for route, form := range template.forms {
		s.forms[route] = maps.Clone(form)
	}
	return s
}

// withURL lets a site mail subscribers. The address is the one that the requests of tests are sent to.
func withURL(c *web.Config) { c.URL = "http://example.com" }

// sceneTemplate is a built scene, of which each test gets a copy.
type sceneTemplate struct {
	webtest.Template
	user    domain.User // the actor
	cookies map[string]string
	params  map[string]string
	forms   map[string]url.Values
}

var (
	sceneTemplates = map[string]*sceneTemplate{} // by script and actor
	sceneMutex     sync.Mutex
)

// sceneOf returns the scene of an actor. It builds the scene at the first call.
func sceneOf(t testing.TB, script script, actor string) *sceneTemplate {
	t.Helper()
	sceneMutex.Lock()
	defer sceneMutex.Unlock()
	key := string(script) + actor
	if sceneTemplates[key] == nil {
		site := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
		site.SetSettings(domain.Settings{NewDays: domain.NeverNew})
		s := buildScene(site, webtest.Config(site.Data, site.Log, webtest.KeyOne), script, actor)
		sceneTemplates[key] = &sceneTemplate{site.Data.Snapshot(), s.actor.User, s.actor.Cookies, s.params, s.forms}
	}
	return sceneTemplates[key]
}

// buildScene builds a scene through the pages of the site and through the stores in c.
func buildScene(s *webtest.Site, c web.Config, script script, actor string) *scene {
	s.T.Helper()
	sc := &scene{Site: s, script: script, config: c}
	// another administrator, so that the actor is not the last one
	sc.setRole(sc.joins("rosa"), domain.RoleAdministrator)
	owner := sc.joins("olga")
	sc.setRole(owner, domain.RoleAuthor)
	post, comment, draft := sc.writings(owner)
	invitation, err := domain.NewInvitation(owner.User, 1, 1, "", time.Now())
	sc.Must(err)
	sc.Must(c.Invitations.Create(s.T.Context(), invitation))
	sc.params = map[string]string{
		"id": post.ID, "slug": names.Slug(post.Title), "comment": comment.ID, "draft": draft.PostID, "revision": "1",
		"username": script.write("olga"), "account": owner.User.ID, "year": fmt.Sprint(post.Created.Year()),
		"tag": script.write("go"), "series": domain.SeriesKey(script.write("A series")),
		"name": sc.picture(owner), "number": "7.xml", "code": invitation.Code,
		"passkey": sc.addPasskey(owner, "owners"), "file": sc.stylesheet(),
	}
	owner.User.FeedSecret = domain.NewID()
	sc.Must(c.Profiles.SetFeedSecret(s.T.Context(), owner.User.ID, owner.User.FeedSecret))
	sc.params["feed"] = owner.User.FeedKey() + ".atom"
	sc.params["secret"], err = c.Drafts.Share(s.T.Context(), owner.User.ID, draft.PostID)
	sc.Must(err)
	sc.params["key"] = sc.subscriber()
	sc.params["page"] = sc.staticPage()
	sc.params["token"], sc.params["link"] = sc.mailTokens(owner)
	delivery := sc.failedDelivery()
	sc.params["destination"] = delivery.Destination
	sc.forms = sc.validForms(post, comment, draft)
	sc.forms["POST /admin/deliveries/:destination"] = url.Values{"again": {delivery.ID}}

	switch actor {
	case "anonymous":
		sc.actor = s.Anonymous()
	case "owner":
		sc.actor = owner
	case "demoted":
		sc.actor = owner
		sc.setRole(owner, domain.RoleReader)
	default:
		sc.actor = sc.joins("actor")
		sc.addPasskey(sc.actor, "actors")
		sc.setRole(sc.actor, map[string]domain.Role{
			"other": domain.RoleAuthor, "reader": domain.RoleReader, "moderator": domain.RoleModerator,
			"administrator": domain.RoleAdministrator, "suspended": domain.RoleAuthor,
		}[actor])
		if actor == "suspended" {
			_, err := c.Accounts.Suspend(s.T.Context(), sc.actor.User.ID, script.write("Spam"), time.Now())
			sc.Must(err)
		}
	}
	return sc
}

func (s *scene) Must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// joins signs up a user with that name, in the script of the scene.
func (s *scene) joins(name string) *webtest.Visitor {
	s.T.Helper()
	name = s.script.write(name)
	v := s.Anonymous()
	v.Post("/signup", "username", name, "password", webtest.Password, "next", "/").
		Want(http.StatusSeeOther)
	var err error
	v.User, err = s.config.Users.ByName(s.T.Context(), name)
	s.Must(err)
	return v
}

func (s *scene) setRole(v *webtest.Visitor, role domain.Role) {
	s.T.Helper()
	_, err := s.config.Accounts.ChangeRole(s.T.Context(), v.User.ID, role, domain.AccountDecision{})
	s.Must(err)
}

// writings creates a post with two revisions, a comment on it, and a draft.
func (s *scene) writings(owner *webtest.Visitor) (domain.Post, domain.Comment, domain.Draft) {
	s.T.Helper()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	d := domain.Draft{PostID: domain.NewID(), Title: s.script.write("A title"),
		Content: s.script.write("A text."), Details: domain.Details{Series: s.script.write("A series")}}
	_, err := s.config.Drafts.Publish(s.T.Context(), owner.User, d, at)
	s.Must(err)
	d.Content, d.Tags, d.Revision = s.script.write("Another text."), s.script.write("go"), 1
	post, err := s.config.Drafts.Publish(s.T.Context(), owner.User, d, at.Add(time.Hour))
	s.Must(err)
	comment, err := domain.NewComment(owner.User, post.ID, s.script.write("Mine."), at.Add(time.Minute))
	s.Must(err)
	_, err = s.config.Posts.AddComment(s.T.Context(), comment)
	s.Must(err)
	draft, err := s.config.Drafts.Save(s.T.Context(),
		domain.Draft{PostID: domain.NewID(), AuthorID: owner.User.ID, Title: s.script.write("A draft"),
			Content: s.script.write("Not done.")})
	s.Must(err)
	return post, comment, draft
}

// asked is the list of the subscription that waits for its confirmation.
func (s *scene) asked() subscription.List {
	return subscription.Tag(domain.TagKey(s.script.write("go")))
}

// subscriber stores a visitor with subscriptions of which one waits, and returns the key of the links in mails.
func (s *scene) subscriber() string {
	s.T.Helper()
	const address = "subscriber@example.org"
	sub, err := s.Data.Store.Subscriptions.Change(s.Data.Context(), subscription.VisitorID(address),
		func(sub *subscription.Subscriber) error {
			*sub = subscription.New(subscription.VisitorID(address), address, "")
			consent := subscription.Consent{At: domain.Timestamp(time.Now())}
			return errors.Join(sub.Ask(s.asked(), subscription.Each, consent),
				sub.Add(subscription.Site(), subscription.Daily, consent))
		})
	s.Must(err)
	return sub.Key()
}

// staticPage adds a static page and returns its id.
func (s *scene) staticPage() string {
	s.T.Helper()
	entry := siteinfo.StaticPage{Path: "/rules", PostID: domain.NewPageID(), Footer: true}
	_, err := s.config.Drafts.Publish(s.T.Context(), domain.SiteUser(), domain.Draft{PostID: entry.PostID,
		Title: s.script.write("Rules"), Content: s.script.write("Be kind.")}, time.Now())
	s.Must(err)
	_, err = s.config.Pages.Change(s.T.Context(), func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		return domain.PutPage(pages, entry)
	})
	s.Must(err)
	text, err := s.config.Posts.Latest(s.T.Context(), entry.PostID)
	s.Must(err)
	_, err = s.config.Pages.Refresh(s.T.Context(), text)
	s.Must(err)
	return entry.PostID
}

// picture uploads a picture and returns its name.
func (s *scene) picture(owner *webtest.Visitor) string {
	s.T.Helper()
	owner.Upload("/images", webtest.GreyPNG(s.T, 4))
	images, err := s.config.Images.Of(s.T.Context(), owner.User.ID, 1)
	s.Must(err)
	if len(images.Items) != 1 {
		s.T.Fatalf("the owner has %d images, want 1", len(images.Items))
	}
	return images.Items[0].Name.String()
}

// stylesheet returns the file name of the style sheet to which pages link.
func (s *scene) stylesheet() string {
	href := s.Anonymous().Get("/").Page().Find(`link[rel="stylesheet"]`).AttrOr("href", "")
	return strings.TrimPrefix(href, "/static/")
}

// textsOfEditor returns the file name of the editor's texts in the language of the pages.
func (s *scene) textsOfEditor() string {
	code := s.Anonymous().Get("/").Page().Find("html").AttrOr("lang", "")
	language := locale.NewSet(append(locale.Pseudo(), locale.All()...)...).Get(code)
	file, _ := view.TextsScript(locale.With(s.T.Context(), language))
	return file
}

// addPasskey adds a passkey to a user and returns its name in addresses.
func (s *scene) addPasskey(v *webtest.Visitor, id string) string {
	s.T.Helper()
	s.changeCredentials(v, func(c domain.Credentials) domain.Credentials {
		c.Passkeys = append(slices.Clone(c.Passkeys), domain.Passkey{ID: id})
		return c
	})
	return domain.SecretDigest(id)[:24]
}

func (s *scene) changeCredentials(
	v *webtest.Visitor, change func(domain.Credentials) domain.Credentials,
) domain.Credentials {
	s.T.Helper()
	c, err := s.config.Credentials.Get(s.T.Context(), v.User.ID)
	s.Must(err)
	c, err = s.config.Credentials.Set(s.T.Context(), change(c))
	s.Must(err)
	return c
}

// mailTokens stores the tokens of two mails to a user: one verifies an address, the other resets the password.
func (s *scene) mailTokens(v *webtest.Visitor) (verify, reset string) {
	s.T.Helper()
	const address = "owner@example.org"
	verify, reset = strings.Repeat("A", 26), strings.Repeat("B", 26)
	c := s.changeCredentials(v, func(c domain.Credentials) domain.Credentials {
		return c.WithAwaitedEmail(address)
	})
	payload, err := json.Marshal(map[string]any{"email": address, "version": c.Version})
	s.Must(err)
	for kind, token := range map[domain.SecretKind]string{
		domain.SecretVerifyEmail: verify,
		domain.SecretReset:       reset,
	} {
		s.Must(s.config.Secrets.Put(s.T.Context(), domain.Secret{Kind: kind, Digest: domain.SecretDigest(token),
			UserID: v.User.ID, Payload: payload, Expires: time.Now().Add(time.Hour)}))
	}
	return verify, reset
}

// failedDelivery stores a delivery that has failed.
func (s *scene) failedDelivery() domain.Delivery {
	s.T.Helper()
	now := domain.Timestamp(time.Now())
	d := domain.Delivery{ID: domain.NewID(), Destination: "mail:07", Kind: domain.DeliverMail, Created: now,
		Expires: now.Add(48 * time.Hour)}
	deliveries := s.Data.Store.Deliveries
	s.Must(deliveries.Put(s.T.Context(), d))
	d.Attempts, d.Next, d.Answer = 1, d.Expires, s.script.write("Later.")
	s.Must(deliveries.Retry(s.T.Context(), d))
	return d
}

// typedText is the text that the actors submit.
const typedText = "What somebody has typed."

// validForms returns the forms of all routes that need fields.
func (s *scene) validForms(p domain.Post, comment domain.Comment, draft domain.Draft) map[string]url.Values {
	neighbourUser := s.joins("neighbour").User
	neighbour := neighbourUser.ID
	text := url.Values{"title": {"A title"}, "content": {typedText}, "tags": {""}, "do": {"publish"}}
	with := func(v url.Values, pairs ...string) url.Values {
		v = maps.Clone(v)
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	none := url.Values{}
	return s.script.fill(map[string]url.Values{
		"POST /login":                               with(none, "username", "olga", "password", webtest.Password),
		"POST /signup":                              with(none, "username", "somebody", "password", webtest.Password),
		"POST /settings/language":                   with(none, "language", "en"),
		"POST /settings/username":                   with(none, "username", "renamed"),
		"POST /settings/profile":                    with(none, "bio", typedText),
		"POST /confirm":                             with(none, "password", webtest.Password),
		"POST /passkeys/challenge":                  with(none, "for", "new"),
		"POST /settings/security/passkeys/new":      with(none, "name", "Phone"),
		"POST /settings/security/passkeys/:passkey": with(none, "name", "Phone"),
		"POST /settings/password": with(none,
			"current", webtest.Password, "password", webtest.NewPassword),
		"POST /settings/email":               with(none, "email", "somebody@example.org"),
		"POST /reset":                        with(none, "account", "olga"),
		"POST /reset/:link":                  with(none, "password", webtest.NewPassword),
		"POST /settings/delete":              with(none, "password", webtest.Password),
		"POST /settings/sessions/end-others": with(none, "password", webtest.Password),
		"POST /posts":                        with(text, "post", domain.NewID(), "revision", "0", "version", "0"),
		"POST /preview":                      with(text),
		"POST /drafts/:id": with(text,
			"post", p.ID, "revision", fmt.Sprint(p.Revision), "version", "0"),
		"POST /drafts/:id/delete": with(none, "version", fmt.Sprint(draft.Version)),
		"POST /posts/:id": with(text,
			"post", p.ID, "revision", fmt.Sprint(p.Revision), "version", "0"),
		"POST /posts/:id/versions/:revision/restore": with(none, "revision", fmt.Sprint(p.Revision)),
		"POST /posts/:id/comments":                   with(none, "content", typedText, "attempt", domain.NewID()),
		"POST /posts/:id/comments/:comment/edit":     with(none, "content", typedText, "began", ""),
		"POST /@:username/series/:series/rename":     with(none, "series", s.script.write(typedText)),
		"POST /subscribe":                            with(none, "email", "somebody@example.org"),
		"POST /@:username/subscribe":                 with(none, "email", "somebody@example.org"),
		"POST /@:username/series/:series/subscribe":  with(none, "email", "somebody@example.org"),
		"POST /tags/:tag/subscribe":                  with(none, "email", "somebody@example.org"),
		"POST /mail/:key":                            with(none, "site", "weekly"),
		"POST /mail/:key/confirm":                    with(none, "frequency", "weekly"),
		"POST /settings/mail":                        with(none, "feed", "weekly", "timeZone", "UTC"),
		"POST /settings/following/remove":            with(none, "tag", "go"),
		"POST /settings/following/lists":             with(none, "hide", "yes"),
		"POST /following/front":                      with(none, "feed", "following"),
		"POST /settings/blocks":                      with(none, "user", neighbour),
		"POST /settings/blocks/remove":               with(none, "user", neighbour),
		"POST /posts/:id/report":                     with(none, "reason", "other", "text", typedText),
		"POST /posts/:id/comments/:comment/report":   with(none, "reason", "other", "text", typedText),
		"POST /posts/:id/moderate":                   with(none, "do", "hide", "why", "spam", "version", "0"),
		"POST /posts/:id/comments/:comment/moderate": with(none, "do", "hide", "why", "spam", "version", "0"),
		"POST /admin/users/:id/role":                 with(none, "role", "reader"),
		"POST /admin/users/:id/suspend":              with(none, "reason", "Spam"),
		"POST /admin/invitations": with(none, "uses", "1", "days", "1",
			"note", s.script.write(typedText)),
		"POST /admin/addresses": with(none, "user", neighbour, "do", "decline"),
		"POST /admin/addresses/assign": with(none, "path", "/contact", "to",
			"/@"+neighbourUser.Username+"#"+s.script.write(typedText)),
		"POST /admin/inspector": with(none, "mode", "cached"),
		"POST /admin/setup":     with(none, "name", typedText),
		"POST /admin/settings": with(none, "registration", "closed", "role", "reader", "days", "3",
			"version", fmt.Sprint(s.Data.Settings().Version)),
		"POST /admin/settings/look/restore": with(none, "version", fmt.Sprint(s.Data.Settings().Version)),
		"POST /admin/pages":                 with(none, "path", "/imprint", "footer", "yes", "label", typedText),
		"POST /admin/pages/:page":           with(none, "path", "/rules", "label", s.script.write(typedText)),
		"POST /admin/pages/move":            with(none, "page", s.params["page"], "to", "up"),
		"POST /admin/pages/outline":         with(none, "kind", "privacy"),
		"POST /images/:name":                with(none, "alt", typedText),
	})
}
