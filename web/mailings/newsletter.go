package mailings

import (
	"cmp"
	"context"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/domain/subscription/contacts"
	view "inkfeed/views/mailings"
	"inkfeed/web/site"
)

// newsletter shows an author's newsletter and its subscribers, and changes them.
type newsletter struct{ handler }

func (h newsletter) register(e *echo.Echo) {
	site.Get(e, path, func(c echo.Context) error {
		return h.form(c, http.StatusOK, view.NewsletterPage{Done: c.QueryParam("done")})
	})
	e.POST(path, h.save)
	e.POST(path+"/end", h.end)
	site.Get(e, site.SubscribersExportPath, h.export)
}

// maxMailings is the number of mailings on the page.
const maxMailings = 20

func (h newsletter) form(c echo.Context, status int, p view.NewsletterPage) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if p.LayoutData, err = h.Layout(c, site.T(c, "Newsletter")); err != nil || !h.MailsOut {
		return cmp.Or(err, h.RenderForm(c, status, view.Newsletter(p)))
	}
	ctx, from := c.Request().Context(), domain.Place(c.QueryParam("from"))
	if _, _, ok := from.Split(); !ok && from != "" {
		return site.ErrNoPage
	}
	if !p.FormErrors.Any() {
		if p.Newsletter, err = h.store.Subscriptions.Newsletter(ctx, u.ID); err != nil {
			return err
		}
	}
	if p.Count, err = h.store.Subscriptions.Count(ctx, u.ID); err != nil {
		return err
	}
	receivers, next, err := h.store.Subscriptions.Page(ctx, u.ID, from)
	if err != nil {
		return err
	}
	p.First, p.Next = from == "", next
	if p.Subscribers, err = h.subscribers(ctx, receivers); err != nil {
		return err
	}
	if p.Mailings, err = h.mailings(ctx, u.ID); err != nil {
		return err
	}
	return h.RenderForm(c, status, view.Newsletter(p))
}

// mailings returns the last mailings with their posts, as far as these are listed.
func (h newsletter) mailings(ctx context.Context, authorID string) (list []view.Mailing, err error) {
	last, _, err := h.store.Subscriptions.Mailings(ctx, authorID, "")
	for _, m := range last[:min(len(last), maxMailings)] {
		post, err := h.store.UserCopies.Post(ctx, authorID, m.PostID)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return nil, err
		}
		list = append(list, view.Mailing{Mailing: m, Post: post})
	}
	return list, err
}

// subscribers reads the subscribers with these places in the lists. Some may have left.
func (h newsletter) subscribers(ctx context.Context, list []subscription.Receiver) ([]view.Subscriber, error) {
	found := make([]view.Subscriber, len(list))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for n, r := range list {
		group.Go(func() (err error) {
			defer site.Rescue(&err)
			found[n], err = h.subscriber(ctx, r)
			return err
		})
	}
	err := group.Wait()
	return slices.DeleteFunc(found, func(s view.Subscriber) bool { return s.ID == "" }), err
}

// subscriber returns one of the subscribers. Authors see the addresses of visitors, who have agreed to that, and the
// names of members.
func (h newsletter) subscriber(ctx context.Context, r subscription.Receiver) (view.Subscriber, error) {
	sub, err := h.store.Subscriptions.Get(ctx, r.ID)
	one, _ := sub.Find(r.List)
	if domain.Is(err, domain.NotFound) || err == nil && !one.Active() {
		return view.Subscriber{}, nil
	}
	s := view.Subscriber{ID: sub.ID, Person: contacts.Person{Email: sub.Email, Subscription: one,
		Suppressed: sub.Reason}}
	if err != nil || !sub.IsMember() {
		return s, err
	}
	u, err := h.store.Users.ByID(ctx, sub.ID)
	switch {
	case domain.Is(err, domain.NotFound):
		return view.Subscriber{}, nil
	case err == nil:
		s.Name = "@" + u.Username
	}
	return s, err
}

func (h newsletter) save(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.author)
	if err != nil {
		return err
	}
	n := subscription.Newsletter{ReplyTo: sent.Get("email"), Excerpt: sent.Get("text") == "excerpt"}
	if n.ReplyTo != "" {
		n.ReplyTo, err = domain.CleanEmail(n.ReplyTo)
	}
	if err == nil {
		err = h.store.Subscriptions.SetNewsletter(c.Request().Context(), u.ID, n)
	}
	if err != nil {
		n.ReplyTo = sent.Get("email")
		return site.Redisplay(h.Site, c, err, h.form, view.NewsletterPage{Newsletter: n})
	}
	return site.SeeOther(c, path+"?done=saved")
}

// end ends the subscription of a person to one of the author's lists.
func (h newsletter) end(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.author)
	if err != nil {
		return err
	}
	_, err = h.store.Subscriptions.Change(c.Request().Context(), sent.Get("subscriber"),
		func(sub *subscription.Subscriber) error {
			one, ok := sub.FindKey(sent.Get("list"))
			if !ok || one.List.AuthorID != u.ID {
				return domain.NewError(domain.NotFound, "There is no such subscription.")
			}
			sub.End(one.List, time.Now())
			return nil
		})
	if err != nil {
		return err
	}
	return site.SeeOther(c, path+"?done=ended")
}

// export sends all subscribers. If the storage fails after the beginning, it breaks the connection, so that an
// incomplete file does not look complete.
func (h newsletter) export(c echo.Context) error {
	u, err := h.author(c)
	if err != nil {
		return err
	}
	ctx, response := c.Request().Context(), c.Response()
	response.Header().Set("Cache-Control", site.CacheNever)
	var w *contacts.Writer
	for from := domain.Place(""); w == nil || from != ""; {
		var receivers []subscription.Receiver
		var people []view.Subscriber
		if receivers, from, err = h.store.Subscriptions.Page(ctx, u.ID, from); err == nil {
			people, err = h.subscribers(ctx, receivers)
		}
		if err == nil && w == nil {
			response.Header().Set("Content-Type", "text/csv; charset=utf-8")
			response.Header().Set("Content-Disposition", mime.FormatMediaType("attachment",
				map[string]string{"filename": "subscribers.csv"}))
			w = contacts.NewWriter(response)
		}
		for _, s := range people {
			w.Write(s.Person)
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil && response.Committed {
			panic(http.ErrAbortHandler)
		} else if err != nil {
			return err
		}
	}
	return nil
}
