package moderation

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// adminAddresses lets administrators decide about the former addresses that imports ask for, and see and change where
// all former addresses lead.
type adminAddresses struct{ handler }

func (h adminAddresses) register(e *echo.Echo) {
	site.Get(e, "/admin/addresses", h.show)
	e.POST("/admin/addresses", h.decide)
	e.POST("/admin/addresses/assign", h.assign)
}

func (h adminAddresses) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	left, _ := strconv.Atoi(c.QueryParam("left")) // an invalid number is 0
	p := view.AdminAddressesPage{Search: strings.TrimSpace(c.QueryParam("q")), Done: c.QueryParam("done"), Left: left}
	return h.page(c, http.StatusOK, p)
}

// page shows an address, the addresses of a user or, without a search, the users who have imported.
func (h adminAddresses) page(c echo.Context, status int, p view.AdminAddressesPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Old addresses"))
	if _, err := h.Administrator(c); err != nil { // the form comes back, without what only administrators may see
		return h.RenderForm(c, status, view.AdminAddresses(p))
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	find := h.findUser
	switch {
	case p.Search == "":
		find = h.list
	case strings.Contains(p.Search, "/"):
		find = h.findAddress
	}
	err = find(c.Request().Context(), &p, number)
	if errs, _, ok := h.FormErrors(c, err); ok && domain.Is(err, domain.Invalid) {
		if !p.Any() {
			p.FormErrors, status = errs, http.StatusNotFound
		}
	} else if err != nil {
		return err
	}
	return h.RenderForm(c, status, view.AdminAddresses(p))
}

func (h adminAddresses) list(ctx context.Context, p *view.AdminAddressesPage, number int) (err error) {
	p.Importers, err = h.store.Redirects.ListRequests(ctx, number)
	if err = site.PageOrNotFound(p.Importers, err); err != nil {
		return err
	}
	ids := make([]string, len(p.Importers.Items))
	for i, r := range p.Importers.Items {
		ids[i] = r.UserID
	}
	p.Names, err = h.store.Users.Authors(ctx, ids)
	return err
}

func (h adminAddresses) findUser(ctx context.Context, p *view.AdminAddressesPage, number int) error {
	u, err := h.store.Users.AccountByName(ctx, strings.TrimPrefix(p.Search, "@"))
	if domain.Is(err, domain.NotFound) {
		return domain.FieldError("q", "There is no account with this username.")
	}
	if err != nil {
		return err
	}
	all, err := h.store.Redirects.Requests(ctx, u.ID)
	if err != nil {
		return err
	}
	named, err := h.store.Redirects.Named(ctx, u.ID)
	if err != nil {
		return err
	}
	p.User, p.Waiting, p.Requests, p.Named = &u, all, cut(all.Addresses, number), cut(named, number)
	return nil
}

// cut returns a page of a list.
func cut[T any](list []T, number int) domain.ListPage[T] {
	const size = 100
	return domain.Cut(list[min(len(list), (number-1)*size):], number, size)
}

func (h adminAddresses) findAddress(ctx context.Context, p *view.AdminAddressesPage, _ int) (err error) {
	address, ok := formerAddress(p.Search)
	if !ok {
		return domain.FieldError("q", "Enter an address, such as /about.")
	}
	p.Address, p.Reserved = address, domain.ClaimOf(address) == domain.ClaimNever
	p.There, err = h.store.Redirects.Find(ctx, address)
	if domain.Is(err, domain.NotFound) {
		return nil
	}
	if err == nil {
		p.Names, err = h.store.Users.Authors(ctx, []string{p.There.OwnerID})
	}
	return err
}

// formerAddress returns the form of an address in which redirects are stored.
func formerAddress(typed string) (string, bool) {
	u, err := url.Parse(typed)
	if err != nil {
		return "", false
	}
	if query, _, ok := domain.OldQuery(strings.TrimSuffix(u.Path, "/"), u.Query()); ok {
		return query, true
	}
	if u.Path == "/" {
		return "/", true
	}
	address, _, ok := domain.OldList(u.EscapedPath())
	return address, ok
}

// decide approves or declines one address that a user's imports ask for, or all that the administrator has seen.
func (h adminAddresses) decide(c echo.Context) error {
	sent, actor, err := site.ReadForm(c, h.Administrator)
	if err != nil {
		return err
	}
	ctx, cancel := site.Uninterrupted(c.Request().Context())
	defer cancel()
	u, err := h.store.Users.Account(ctx, sent.Get("user"))
	if err != nil {
		return err
	}
	all, err := h.store.Redirects.Requests(ctx, u.ID)
	if err != nil {
		return err
	}
	path, back := sent.Get("path"), "/admin/addresses?q="+url.QueryEscape("@"+u.Username)+"&done="
	if path == "" && sent.Get("version") != all.ETag {
		return domain.NewError(domain.Conflict, "The requests of this user have changed. Go back and check them again.")
	}
	chosen := func(r domain.Redirect) bool { return path == "" || r.Path == path }
	left, action := all, domain.AuditDeclineAddresses
	if sent.Get("do") == "approve" {
		action = domain.AuditApproveAddresses
		left, err = h.store.Redirects.Approve(ctx, all, chosen)
	} else {
		left.Remove(chosen)
		err = h.store.Redirects.SetRequests(ctx, left)
	}
	if err != nil {
		return err
	}
	if decided := all.Count - left.Count; decided > 0 {
		e := domain.NewAuditEntry(actor, action, time.Now()).About(u)
		if e.Detail = path; path == "" {
			e.Detail = plaintext.Count(decided, "address", "addresses")
		}
		h.audit.Record(ctx, e)
	}
	if action == domain.AuditDeclineAddresses {
		return site.SeeOther(c, back+"declined")
	}
	left.Remove(func(r domain.Redirect) bool { return !chosen(r) })
	return site.SeeOther(c, back+"approved&left="+strconv.Itoa(left.Count))
}

// assign changes where a former address leads.
func (h adminAddresses) assign(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	p := view.AdminAddressesPage{Search: sent.Get("path"), Address: sent.Get("path"), To: sent.Get("to")}
	before := domain.Redirect{Path: p.Address, OwnerID: sent.Get("owner"), PostID: sent.Get("post"),
		To: sent.Get("list")}
	p.There = before
	ctx := c.Request().Context()
	var after domain.Redirect
	actor, err := h.Administrator(c)
	if err == nil {
		after, err = h.target(ctx, p.Address, strings.TrimSpace(p.To))
	}
	if err == nil {
		err = h.store.Redirects.Assign(ctx, before, after)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.page, p)
	}
	e := domain.NewAuditEntry(actor, domain.AuditAssignAddress, time.Now())
	e.TargetKind, e.Detail = domain.AuditsSite, p.Address+" → "+p.To
	h.audit.Record(ctx, e)
	return site.SeeOther(c, "/admin/addresses?q="+url.QueryEscape(p.Address)+"&done=assigned")
}

// target returns the redirect of an address to a post or to a user's page or list, whose address the administrator
// typed. Without one the address redirects nowhere, which is all that a reserved address can do.
func (h adminAddresses) target(ctx context.Context, address, typed string) (domain.Redirect, error) {
	to := domain.Redirect{Path: address}
	unsuitable := domain.FieldError("to",
		"Enter the address of a post or of a user's page here, such as /@ada.")
	u, err := url.Parse(siteinfo.WithScheme(typed))
	switch normal, ok := formerAddress(address); {
	case !ok || normal != address || err != nil:
		return to, unsuitable
	case typed == "":
		return to, nil
	case domain.ClaimOf(address) == domain.ClaimNever:
		return to, domain.FieldError("to", "This address belongs to this site and never redirects.")
	}
	rest, isUser := strings.CutPrefix(u.Path, domain.OwnerPage)
	id, isPost := domain.PostIDIn(u.Path)
	switch {
	case isUser:
		name, list, _ := strings.Cut(rest, "/")
		var user domain.User
		user, err = h.store.Users.AccountByName(ctx, name)
		to.OwnerID, to.To = user.ID, strings.TrimSuffix(domain.OwnerPage+"/"+list, "/")
	case isPost:
		var post domain.Post
		post, err = h.store.Posts.Get(ctx, id)
		to.OwnerID, to.PostID = post.AuthorID, post.ID
	default:
		return to, unsuitable
	}
	if domain.Is(err, domain.NotFound) {
		return to, unsuitable
	}
	return to, err
}
