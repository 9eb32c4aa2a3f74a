package subscribing

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	"inkfeed/views"
	view "inkfeed/views/subscribing"
	"inkfeed/web/site"
)

// manage lets subscribers see and change their subscriptions, by a link in each mail or in the settings of members.
type manage struct{ handler }

func (h manage) register(e *echo.Echo) {
	for _, path := range []string{"/mail/:key", views.MailSettingsPath} {
		site.Get(e, path, h.of(h.show))
		e.POST(path, h.of(h.submit))
	}
	site.Get(e, "/mail/:key/export", h.of(h.export))
}

func (h manage) show(c echo.Context, o owner) error {
	return h.form(c, http.StatusOK, o.page(c.QueryParam("done")))
}

// lists returns the lists of the active subscriptions, and then those that the settings of members offer.
func (o owner) lists() (lists []subscription.List) {
	for _, one := range o.Active() {
		lists = append(lists, one.List)
	}
	if o.member {
		for _, kind := range []subscription.Kind{subscription.BySite, subscription.Feed, subscription.Notices} {
			if l := (subscription.List{Kind: kind}); !slices.Contains(lists, l) {
				lists = append(lists, l)
			}
		}
	}
	return lists
}

func (o owner) page(done string) view.ManagePage {
	p := view.ManagePage{Path: o.path, Member: o.member, Address: o.address, Subscriber: o.Subscriber, Done: done}
	if o.Secret != "" {
		p.Key = managePath(o.Subscriber)
	}
	for _, l := range o.lists() {
		row := view.Row{List: l}
		if one, _ := o.Find(l); one.Active() {
			row.Frequency = one.Frequency
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

func (h manage) form(c echo.Context, status int, p view.ManagePage) (err error) {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Email subscriptions"))
	p.Languages = h.Languages.Languages()
	for i, row := range p.Rows {
		if p.Rows[i].Name, err = h.name(c, row.List); err != nil {
			return err
		}
	}
	return h.RenderForm(c, status, view.Manage(p))
}

func (h manage) submit(c echo.Context, o owner) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	do := sent.Get("do")
	if do == "erase" && !sent.Has("sure") {
		return h.form(c, http.StatusOK, o.page("asked to erase"))
	}
	defer site.Uninterrupt(c)()
	lists := o.lists()
	err = h.change(c.Request().Context(), o, func(sub *subscription.Subscriber) error {
		return h.apply(sub, do, sent, lists)
	})
	switch {
	case err != nil:
		_ = h.apply(&o.Subscriber, do, sent, lists) // the page shows what was typed
		return site.Redisplay(h.Site, c, err, h.form, o.page(""))
	case do == "erase":
		return h.RenderForm(c, http.StatusOK, view.Erased(h.FallbackLayout(c, site.T(c, "Email subscriptions"))))
	}
	return site.SeeOther(c, o.path+"?"+url.Values{"done": {do}}.Encode())
}

// apply does what a form with these lists asks for.
func (h manage) apply(sub *subscription.Subscriber, do string, sent url.Values, lists []subscription.List) (err error) {
	switch do {
	case "end":
		sub.EndAll(now())
		return nil
	case "erase":
		sub.Erase(now())
		return nil
	case "again":
		for _, one := range sub.Active() {
			sub.Confirm(one.List, now())
		}
		return nil
	}
	if code := sent.Get("language"); h.Languages.Get(code) != nil {
		sub.Language = code
	}
	if sub.IsMember() && sent.Has("timeZone") {
		sub.Zone, sub.Kinds = strings.TrimSpace(sent.Get("timeZone")), mailedKinds(sent["kind"])
		if !siteinfo.IsZone(sub.Zone) {
			err = domain.FieldError("timeZone", "Enter a time zone such as Europe/Prague or UTC.")
		}
	}
	for _, l := range lists {
		frequency := subscription.Frequency(sent.Get(l.Key()))
		if frequency == "" && sent.Has(l.Key()) {
			sub.End(l, now())
		} else if frequency.Valid(l) {
			consent := subscription.Consent{At: now(), Page: h.URL + views.MailSettingsPath}
			err = cmp.Or(err, sub.Add(l, frequency, consent))
		}
	}
	return err
}

// mailedKinds returns the kinds of notifications to mail: those that were chosen, and those that nobody can switch off.
func mailedKinds(chosen []string) domain.NotificationKinds {
	kinds := []string{string(domain.NotifyApproved), string(domain.NotifyHidden), string(domain.NotifyRestored),
		string(domain.NotifyPutBack)}
	for _, k := range domain.OptionalNotifications() {
		if slices.Contains(chosen, string(k)) {
			kinds = append(kinds, string(k))
		}
	}
	return domain.NotificationKinds(strings.Join(kinds, ","))
}

// export is a download of everything that is stored about a subscriber, except the secret of the links.
func (h manage) export(c echo.Context, o owner) error {
	o.Email, o.Secret = o.address, ""
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	c.Response().Header().Set("Content-Disposition", `attachment; filename="subscriptions.json"`)
	c.Response().Header().Set("Content-Type", "application/json")
	out := json.NewEncoder(c.Response())
	out.SetIndent("", "\t")
	return out.Encode(o.Subscriber)
}
