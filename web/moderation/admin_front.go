package moderation

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	view "inkfeed/views/moderation"
)

// sentFront returns what the form says about the front page.
func sentFront(sent url.Values) view.FrontForm {
	f := view.FrontForm{Author: strings.TrimSpace(sent.Get("front")), PageID: sent.Get("frontPage")}
	for n := range f.Featured {
		f.Featured[n] = strings.TrimSpace(sent.Get(fmt.Sprint("featured", n+1)))
	}
	return f
}

// storedFront returns the form of the stored settings. It leaves out an author or a page that no longer exists.
func (h adminSettings) storedFront(ctx context.Context, i siteinfo.Info) (f view.FrontForm, err error) {
	if i.FrontUser != "" {
		u, err := h.store.Users.Account(ctx, i.FrontUser)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return f, err
		}
		f.Author = u.Username
	}
	if _, exists := h.StaticPages().ByID(i.FrontPage); exists {
		f.PageID = i.FrontPage
	}
	for n, p := range i.Featured {
		if p.PostID != "" {
			f.Featured[n] = views.PostPath(p.PostID)
		}
	}
	return f, nil
}

// resolveFront finds the account, the page and the posts that the form names, and sets them. invalid names the fields
// that lead to nothing. A post that is featured already may have disappeared: otherwise its author's deletion would
// prevent all other changes.
func (h adminSettings) resolveFront(c echo.Context, f view.FrontForm, i *siteinfo.Info) (invalid, err error) {
	var problems []error
	ctx, stored := c.Request().Context(), h.Info()
	if name := strings.TrimPrefix(f.Author, "@"); name != "" {
		u, err := h.store.Users.AccountByName(ctx, name)
		switch {
		case domain.Is(err, domain.NotFound), domain.Is(err, domain.Invalid):
			problems = append(problems, domain.FieldError("front", "There is no account with this username."))
		case err != nil:
			return nil, err
		}
		i.FrontUser = u.ID
	}
	if f.PageID != "" {
		_, exists := h.StaticPages().ByID(f.PageID)
		switch {
		case !exists:
			problems = append(problems, domain.FieldError("frontPage", "This page was deleted. Choose another one."))
		case f.Author != "":
			problems = append(problems, domain.FieldError("frontPage", "Choose either an author or a page, not both."))
		}
		i.FrontPage = f.PageID
	}
	for n, address := range f.Featured {
		if address == "" {
			continue
		}
		id := postIDIn(address)
		p, err := h.store.Posts.Get(ctx, id)
		gone := domain.Is(err, domain.NotFound) || err == nil && !p.Status.Listed()
		featured := slices.IndexFunc(stored.Featured[:], func(f siteinfo.Post) bool {
			return id != "" && f.PostID == id
		})
		switch {
		case gone && featured >= 0: // its author has deleted or hidden it since; it is not shown
			i.Featured[n] = stored.Featured[featured]
			continue
		case gone:
			problems = append(problems, domain.FieldError(fmt.Sprint("featured", n+1),
				"There is no public post at this address."))
		case err != nil:
			return nil, err
		}
		i.Featured[n] = siteinfo.Post{PostID: p.ID, AuthorID: p.AuthorID}
	}
	return domain.JoinErrors(problems...), nil
}

// postIDIn returns the id in the address of a post, or an empty text.
func postIDIn(address string) string {
	_, rest, _ := strings.Cut(address, "/posts/")
	id, _, _ := strings.Cut(rest, "/")
	id, _, _ = strings.Cut(id, "#")
	if !domain.IsID(id) {
		return ""
	}
	return id
}
