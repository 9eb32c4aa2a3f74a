package subscribing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	view "inkfeed/views/subscribing"
	"inkfeed/web/site"
)

// link serves the links in mails that confirm or end a subscription. The pages only show a button, because programs
// that scan mails follow links but press no buttons.
type link struct{ handler }

func (h link) register(e *echo.Echo) {
	site.Get(e, "/mail/:key/confirm", h.of(h.askToConfirm))
	e.POST("/mail/:key/confirm", h.of(h.confirm))
	site.Get(e, site.UnsubscribeRoute, h.of(h.askToEnd))
	e.POST(site.UnsubscribeRoute, h.of(h.end))
}

func (h link) askToConfirm(c echo.Context, o owner) error {
	one, ok := o.FindKey(c.QueryParam("list"))
	switch {
	case !ok || !one.Ended.IsZero():
		return errLink
	case one.Active() && o.Suppressed.IsZero():
		return site.SeeOther(c, o.path)
	}
	return h.page(c, o, site.T(c, "Confirm your subscription"), view.LinkPage{Confirm: one}, one.List)
}

func (h link) confirm(c echo.Context, o owner) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	frequency := subscription.Frequency(sent.Get("frequency"))
	err = h.change(c.Request().Context(), o, func(sub *subscription.Subscriber) error {
		one, _ := sub.FindKey(c.QueryParam("list"))
		if !sub.Confirm(one.List, now()) {
			return errLink
		}
		if !frequency.Valid(one.List) {
			return nil
		}
		return sub.Add(one.List, frequency, one.Consent)
	})
	if err != nil {
		return err
	}
	return site.SeeOther(c, o.path+"?done=confirmed")
}

// named returns the lists that a link ends: the one that it names, or all that come in digests.
func named(c echo.Context, sub subscription.Subscriber) (lists []subscription.List) {
	key := c.QueryParam("list")
	for _, one := range sub.Active() {
		if one.List.Key() == key || key == "" && one.Frequency != subscription.Each {
			lists = append(lists, one.List)
		}
	}
	return lists
}

func (h link) askToEnd(c echo.Context, o owner) error {
	lists := named(c, o.Subscriber)
	return h.page(c, o, site.T(c, "Unsubscribe"), view.LinkPage{Ended: len(lists) == 0}, lists...)
}

// end ends subscriptions without further questions (RFC 8058). Mail programs send this form for their users, so it is
// accepted from everywhere and with any content, which it does not read.
func (h link) end(c echo.Context, o owner) error {
	defer site.Uninterrupt(c)()
	ctx, lists := c.Request().Context(), named(c, o.Subscriber)
	ended := false
	err := h.change(ctx, o, func(sub *subscription.Subscriber) error {
		ended = false
		for _, l := range lists {
			ended = sub.End(l, now()) || ended
		}
		return nil
	})
	if err != nil {
		return err
	}
	if postID := c.QueryParam("post"); ended && domain.IsID(postID) {
		author, err := h.store.Posts.Author(ctx, postID)
		if err == nil {
			err = h.store.Subscriptions.CountUnsubscribe(ctx, author.ID, postID)
		}
		if err != nil && !domain.Is(err, domain.NotFound) {
			h.Logger.WarnContext(ctx, "cannot count an ended subscription", "error", err, "post", postID)
		}
	}
	return h.page(c, o, site.T(c, "You are unsubscribed"), view.LinkPage{Ended: true}, lists...)
}

// page shows a page about lists.
func (h link) page(c echo.Context, o owner, title string, p view.LinkPage, lists ...subscription.List) error {
	for _, l := range lists {
		name, err := h.name(c, l)
		if err != nil {
			return err
		}
		p.Names = append(p.Names, name)
	}
	p.LayoutData, p.Manage, p.Action = h.FallbackLayout(c, title), o.path, c.Request().URL.RequestURI()
	return h.RenderForm(c, http.StatusOK, view.Link(p))
}
