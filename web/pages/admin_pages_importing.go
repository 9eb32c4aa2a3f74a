package pages

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/pages"
)

// importFile imports the pages in an uploaded file.
func (h adminPagesImport) importFile(c echo.Context, actor domain.User, sent sentPages) (view.PagesImportedPage,
	error) {
	now := time.Now()
	blog, err := h.readPages(c.Request().Context(), sent, now)
	if err != nil {
		return view.PagesImportedPage{}, err
	}
	i := &pagesImport{adminPagesImport: h, c: c, ctx: c.Request().Context(), actor: actor, blog: blog, now: now,
		found: len(blog.Posts)}
	for _, step := range []func() error{i.identify, i.place, i.importTexts, i.refresh} {
		if err := step(); err != nil {
			return view.PagesImportedPage{}, err
		}
	}
	shown := view.PagesImportedPage{Added: i.added}
	if sent.looks {
		if shown.Settings, err = i.describe(); err != nil {
			return view.PagesImportedPage{}, err
		}
	}
	i.report.Problems = append(i.report.Problems, i.problems...)
	shown.Result = i.report.Result(blog.Format)
	return shown, nil
}

// pagesImport is an import of static pages. It adds the entries of the pages first, because a published text needs an
// entry. Then it imports the texts, and completes the entries by what they say.
type pagesImport struct {
	adminPagesImport
	c     echo.Context
	ctx   context.Context
	actor domain.User
	blog  *portable.Blog
	now   time.Time

	absent     map[string]bool // ids without a text or draft, whose records of earlier imports are ignored
	found      int             // texts in the file
	placements []domain.PagePlacement
	before     siteinfo.Pages
	report     importing.Report
	problems   []portable.Problem
	added      []siteinfo.StaticPage
}

// problem adds a problem to the report.
func (i *pagesImport) problem(where string, text locale.Message) {
	p := portable.MessageProblem(text)
	p.Where = where
	i.problems = append(i.problems, p)
}

// identify gives new ids to pages that were deleted here, so that the import restores them.
func (i *pagesImport) identify() error {
	pages, err := i.store.Pages.Get(i.ctx)
	if err != nil {
		return err
	}
	i.absent = make(map[string]bool)
	ids := make(map[string]string)
	identify := func(id string) (string, error) {
		if ids[id] == "" {
			live, absent, err := i.liveID(pages, id)
			if err != nil {
				return "", err
			}
			ids[id], i.absent[live] = live, absent
		}
		return ids[id], nil
	}
	for n := range i.blog.Posts {
		p := &i.blog.Posts[n]
		if p.ID, err = identify(p.ID); err != nil {
			return err
		}
		p.Key = "inkfeed:" + p.ID
	}
	listed := slices.DeleteFunc(i.blog.Site.Pages, func(p portable.SitePage) bool { return !domain.IsPageID(p.ID) })
	i.blog.Site.Pages = listed[:min(len(listed), domain.MaxImportPosts)]
	for n := range i.blog.Site.Pages {
		p := &i.blog.Site.Pages[n]
		if p.ID, err = identify(p.ID); err != nil {
			return err
		}
	}
	return nil
}

// liveID returns the id that a page gets here, and whether there is neither a text nor a draft with it.
func (i *pagesImport) liveID(pages siteinfo.Pages, id string) (_ string, absent bool, err error) {
	for {
		state, err := i.state(id)
		if err != nil || state == textHere {
			return id, false, err
		}
		restored := domain.AttemptTextID(id, domain.SiteUserID, "restored")
		if state == textAbsent {
			// It may have been deleted so long ago that nothing says so, and restored since.
			_, listed := pages.ByID(restored)
			if there, err := i.state(restored); err != nil || there == textAbsent && !listed {
				return id, true, err
			}
			if _, listed := pages.ByID(id); listed {
				return id, true, nil
			}
		}
		id = restored
	}
}

type textState int

const (
	textAbsent  textState = iota // neither a text nor a draft
	textHere                     // a text or a draft
	textDeleted                  // deleted in the last weeks
)

func (i *pagesImport) state(id string) (textState, error) {
	text, err := i.store.Posts.Latest(i.ctx, id)
	if err == nil && !text.Deleted.IsZero() {
		return textDeleted, nil
	}
	if domain.Is(err, domain.NotFound) {
		if _, err = i.store.Drafts.Get(i.ctx, domain.SiteUserID, id); domain.Is(err, domain.NotFound) {
			return textAbsent, nil
		}
	}
	return textHere, err
}

// place adds the entries of the pages, and leaves out the texts of those that exceed the limit.
func (i *pagesImport) place() error {
	var wanted []domain.ImportedPage
	listed := make(map[string]bool)
	titles := make(map[string]string)
	for _, p := range i.blog.Posts {
		titles[p.ID] = p.Title
	}
	for _, p := range i.blog.Site.Pages {
		if listed[p.ID] {
			continue
		}
		listed[p.ID] = true
		wanted = append(wanted, domain.ImportedPage{Former: p.Former, StaticPage: siteinfo.StaticPage{PostID: p.ID,
			Title: titles[p.ID], Path: p.Path, Label: p.Label, Navigation: p.Navigation, Footer: p.Footer}})
	}
	for _, p := range i.blog.Posts { // a text that others can see needs an address
		if !listed[p.ID] && p.Status != portable.Draft {
			listed[p.ID] = true
			wanted = append(wanted, domain.ImportedPage{StaticPage: siteinfo.StaticPage{PostID: p.ID, Title: p.Title}})
		}
	}
	var lookup error
	taken := func(path string) bool {
		_, err := i.store.Redirects.Find(i.ctx, (&url.URL{Path: path}).EscapedPath())
		if err != nil && !domain.Is(err, domain.NotFound) {
			lookup = err
		}
		return err == nil || i.taken(i.c, path)
	}
	pages, err := i.store.Pages.Change(i.ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		i.before = pages
		after, placements := domain.PlacePages(pages, wanted, taken)
		i.placements = placements
		return after, lookup
	})
	if err != nil {
		return err
	}
	i.Pages.Apply(pages)
	i.reportPlacements(wanted)
	return nil
}

// reportPlacements records the addresses of the pages, and reports what is not as it was wanted.
func (i *pagesImport) reportPlacements(wanted []domain.ImportedPage) {
	paths := make(map[string]string)
	for n, placed := range i.placements {
		path := placed.Page.Path
		paths[placed.Page.PostID] = path
		if placed.Added && !placed.Full {
			i.record(path)
		}
		switch {
		case placed.Full:
			i.leaveOut(placed.Page.PostID)
			i.problem(cmp.Or(wanted[n].Path, wanted[n].Title),
				locale.M("not imported: the limit of {limit} pages is reached", "limit", domain.MaxPages))
		case placed.Wanted != "":
			i.problem(path, locale.M("its address {path} is used by another part of this site or is not valid: it has "+
				"another one here", "path", placed.Wanted))
		case placed.Kept:
			i.problem(path, locale.M("its address, label and links stay as they are here"))
		}
	}
	for n := range i.blog.Posts {
		i.blog.Posts[n].Where = cmp.Or(paths[i.blog.Posts[n].ID], i.blog.Posts[n].Title, i.blog.Posts[n].Where)
	}
}

func (i *pagesImport) leaveOut(id string) {
	i.blog.Posts = slices.DeleteFunc(i.blog.Posts, func(p portable.Post) bool { return p.ID == id })
}

// record adds a page to the audit log.
func (i *pagesImport) record(path string) {
	i.audit.Record(i.ctx, domain.NewAuditEntry(i.actor, domain.AuditPage, i.now).AboutPage(path))
}

// importTexts imports the texts with their drafts, versions and pictures, as those of a user.
func (i *pagesImport) importTexts() error {
	importer := i.store.Importer
	importer.User, importer.Now = domain.SiteUser(), i.now
	importer.Records = presentRecords{importer.Records, i.absent}
	importer.Try = func(_ context.Context, call func() error) error { return call() }
	importer.Progress = func() {}
	left := i.found - len(i.blog.Posts) // the texts of pages that exceed the limit
	report, err := importer.Import(i.ctx, i.blog)
	report.Found += left
	i.report = report
	return err
}

// presentRecords hides the records of imported texts that are not here any more, so that they are imported again.
type presentRecords struct {
	importing.Records
	absent map[string]bool
}

func (r presentRecords) Of(ctx context.Context, userID string) ([]domain.Import, error) {
	records, err := r.Records.Of(ctx, userID)
	return slices.DeleteFunc(records, func(i domain.Import) bool { return r.absent[i.PostID] }), err
}

// refresh completes the entries by what the texts say now, and removes those whose texts could not be imported. It
// records what has changed.
func (i *pagesImport) refresh() error {
	var texts []domain.Post
	refused := make(map[string]bool)
	for _, p := range i.blog.Posts {
		text, err := i.store.Posts.Latest(i.ctx, p.ID)
		switch {
		case err == nil:
			texts = append(texts, text)
			continue
		case !domain.Is(err, domain.NotFound):
			return err
		}
		_, err = i.store.Drafts.Get(i.ctx, domain.SiteUserID, p.ID)
		if refused[p.ID] = domain.Is(err, domain.NotFound); err != nil && !refused[p.ID] {
			return err
		}
	}
	pages, err := i.store.Pages.Change(i.ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		for _, placed := range i.placements {
			if placed.Added && refused[placed.Page.PostID] {
				pages = domain.RemovePage(pages, placed.Page.PostID)
			}
		}
		return domain.RefreshPages(pages, texts), nil
	})
	if err != nil {
		return err
	}
	i.Pages.Apply(pages)
	for _, placed := range i.placements {
		now, listed := pages.ByID(placed.Page.PostID)
		before, _ := i.before.ByID(placed.Page.PostID)
		switch {
		case !listed:
		case placed.Added:
			i.added = append(i.added, now)
		case now.PostVersion != before.PostVersion:
			i.record(now.Path)
		}
	}
	return nil
}
