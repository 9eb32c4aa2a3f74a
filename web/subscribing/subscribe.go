package subscribing

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/subscription"
	"inkfeed/views"
	view "inkfeed/views/subscribing"
	"inkfeed/web/site"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// subscribe asks visitors to confirm their address. Members subscribe at once.
type subscribe struct {
	handler
	counted *atomic.Value // the id of the last delivery that was counted towards the limit of mails
}

func (h subscribe) register(e *echo.Echo) {
	for _, of := range []string{"", "/@:username", "/tags/:tag", "/@:username/series/:series"} {
		e.POST(of+"/subscribe", h.submit)
	}
	if h.MailsOut {
		h.mail.WriteBy(subscription.DeliverConfirmation, h.write)
	}
}

// list returns the list in the address. Only what has posts can be in a mail to a stranger.
func (h subscribe) list(c echo.Context) (l subscription.List, form views.Subscribing, err error) {
	ctx, posts := c.Request().Context(), []domain.Summary(nil)
	switch {
	case !h.MailsOut:
		return l, form, site.ErrNoPage
	case c.Param("tag") != "":
		if l.Tag, err = site.ShortTagAt(c); err == nil {
			posts, err = h.store.Tags.Newest(ctx, l.Tag)
		}
		if err == nil && len(posts) == 0 {
			err = site.ErrNoPage
		}
		return subscription.Tag(l.Tag), views.Subscribing{Path: views.TagPath(l.Tag)}, err
	case c.Param("username") == "":
		return subscription.Site(), form, nil
	}
	u, _, err := site.UserAt(c, h.store.Users.ByName)
	l, form.Author, form.Path = subscription.Author(u.ID), names.Called(u.Username, u.DisplayName),
		names.UserPath(u.Username)
	if err == nil && c.Param("series") != "" {
		l.Kind = subscription.BySeries
		if l.Series, _, err = site.SeriesAt(c); err == nil {
			posts, err = h.store.UserCopies.Series(ctx, u.ID, l.Series)
		}
		if err == nil && len(posts) == 0 {
			err = site.ErrNoSeries
		}
		form.Path = views.SeriesPath(u.Username, l.Series)
	}
	return l, form, err
}

func (h subscribe) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	l, form, err := h.list(c)
	if err != nil {
		return err
	}
	form.Next = site.SafeNext(sent.Get("next"))
	defer site.Uninterrupt(c)()
	ctx := c.Request().Context()
	consent := subscription.Consent{At: now(), Page: h.URL + form.Page(), Wording: form.Wording(ctx)}
	o, err := h.owner(c)
	if err == nil && o.address != "" {
		err = h.change(ctx, o, func(sub *subscription.Subscriber) error {
			if one, _ := sub.Find(l); one.Active() {
				return nil
			}
			return sub.Add(l, subscription.Each, consent)
		})
	}
	if err == nil { // how often mails come, or how to add an address
		return site.SeeOther(c, o.path+"?done=subscribed")
	}
	if !domain.Is(err, domain.Unauthenticated) {
		return err
	}
	page := view.SubscribePage{Form: form, Email: sent.Get("email")}
	if page.Name, err = h.name(c, l); err != nil {
		return err
	}
	if page.Asked, err = domain.CleanEmail(page.Email); err == nil {
		err = botcheck.CheckHoneypot(sent)
	}
	if err == nil {
		err = h.allow(c, page.Asked)
	}
	if err == nil {
		err = h.store.Deliveries.Put(ctx, h.mail.Seal(subscription.DeliverConfirmation, "", subscription.ConfirmTime,
			confirmation{page.Asked, l, consent, locale.From(ctx).Code()}))
	}
	if err != nil {
		page.Asked = ""
		return site.Redisplay(h.Site, c, err, h.form, page)
	}
	return h.form(c, http.StatusOK, page)
}

func (h subscribe) form(c echo.Context, status int, p view.SubscribePage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Subscribe by email"))
	return h.RenderForm(c, status, view.Subscribe(p))
}

// largeProviders are providers of mailboxes with which many people subscribe at a time.
const largeProviders = "gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com icloud.com " +
	"me.com aol.com proton.me protonmail.com gmx.de gmx.net web.de t-online.de orange.fr free.fr laposte.net " +
	"seznam.cz email.cz centrum.cz mynet.com mail.ru yandex.ru yandex.com qq.com 163.com"

// allow limits requests by their sender, and by the provider of the mailbox, which may otherwise take us for a spammer.
// It does not know whether the address is known. The mails to one address are limited when they are written.
func (h subscribe) allow(c echo.Context, email string) error {
	ctx, provider := c.Request().Context(), strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
	cost := 20
	if slices.Contains(strings.Fields(largeProviders), provider) {
		cost = 1
	}
	if err := h.Limiter.AllowFrom(ctx, ratelimit.Subscribers, "", remote.Of(c.Request())); err != nil {
		return err
	}
	return h.Limiter.AllowCost(ctx, ratelimit.SubscribersProvider, provider, cost)
}

// mailbox returns what the addresses of one mailbox have in common at large providers.
func mailbox(email string) string {
	at := strings.LastIndexByte(email, '@')
	local, _, _ := strings.Cut(email[:at], "+")
	return strings.ReplaceAll(local, ".", "") + email[at:]
}

// confirmation is the payload of a delivery of the kind subscription.DeliverConfirmation.
type confirmation struct {
	Email    string
	List     subscription.List
	Consent  subscription.Consent
	Language string
}

// errNoMail means that no mail is sent. Only the log of the mailer knows.
var errNoMail = &domain.Error{Kind: domain.NotFound}

// write stores the subscription of a visitor, or of the member with the address, which waits for its confirmation, and
// writes the mail that asks for it. This happens in the background, so that the duration of the form's request does not
// reveal whether the address is known.
func (h subscribe) write(ctx context.Context, d domain.Delivery, payload []byte) (domain.Mail, error) {
	var asked confirmation
	if err := json.Unmarshal(payload, &asked); err != nil {
		return domain.Mail{}, err
	}
	id, email := subscription.VisitorID(asked.Email), asked.Email
	// While the mail server fails, the first delivery is written again and again, and stays fresh.
	if d.Fresh() && h.counted.Swap(d.ID) != d.ID &&
		h.Limiter.Allow(ctx, ratelimit.Mail, "subscribe|"+subscription.VisitorID(mailbox(email))) != nil {
		return domain.Mail{}, errNoMail
	}
	member, err := h.store.EmailAddresses.Owner(ctx, email)
	if err == nil {
		id, email = member.ID, ""
	} else if !domain.Is(err, domain.NotFound) {
		return domain.Mail{}, err
	}
	sub, err := h.store.Subscriptions.Change(ctx, id, func(sub *subscription.Subscriber) error {
		if sub.Secret == "" {
			*sub = subscription.New(id, "", "")
		}
		if sub.Email = email; sub.Language == "" && email != "" {
			sub.Language = asked.Language
		}
		return sub.Ask(asked.List, subscription.Each, asked.Consent)
	})
	if domain.Is(err, domain.Conflict) { // too many subscriptions, which must not be told to a stranger
		err = errNoMail
	}
	if err != nil {
		return domain.Mail{}, err
	}
	language := h.LanguageFor(cmp.Or(sub.Language, member.Language), []string{asked.Language})
	return h.mail.Confirmation(locale.With(h.WithInfo(ctx), language), sub, asked.Email, asked.List)
}
