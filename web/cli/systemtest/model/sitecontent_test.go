package model

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// This file models static pages, the identity of the site, and pinned posts. The text of a static page is a post of
// the site, so the actions on posts and drafts apply to it.

// modelSite is what belongs to the whole site.
type modelSite struct {
	pages      []modelPage
	former     []siteinfo.FormerPath
	name       string
	logo, icon string          // contents of the pictures, or empty
	shown      map[string]bool // contents of all pictures that the site has or had
	featured   []siteinfo.Post
}

// modelPage is the entry of a static page. Its title follows from its text.
type modelPage struct {
	id, path, label    string
	navigation, footer bool
}

func (s modelSite) clone() modelSite {
	s.pages, s.former, s.featured = slices.Clone(s.pages), slices.Clone(s.former), slices.Clone(s.featured)
	s.shown = maps.Clone(s.shown)
	return s
}

func (s modelSite) page(id string) int {
	return slices.IndexFunc(s.pages, func(p modelPage) bool { return p.id == id })
}

// put adds a page at the end, or changes it. A page that is not new must exist.
func (s *modelSite) put(p modelPage, isNew bool) error {
	i := s.page(p.id)
	if i < 0 && !isNew {
		return errNotFound()
	}
	if slices.ContainsFunc(s.pages, func(other modelPage) bool { return other.path == p.path && other.id != p.id }) {
		return domain.NewError(domain.Invalid, "taken")
	}
	s.former = slices.DeleteFunc(s.former, func(f siteinfo.FormerPath) bool { return f.Path == p.path })
	if i < 0 {
		s.pages = append(s.pages, p)
		return nil
	}
	if was := s.pages[i].path; was != p.path {
		s.former = append(s.former, siteinfo.FormerPath{Path: was, PostID: p.id})
	}
	s.pages[i] = p
	return nil
}

func (s *modelSite) remove(id string) {
	s.pages = slices.DeleteFunc(s.pages, func(p modelPage) bool { return p.id == id })
	s.former = slices.DeleteFunc(s.former, func(f siteinfo.FormerPath) bool { return f.PostID == id })
}

func (m *model) describeSite(add func(string, ...any)) {
	for n, p := range m.site.pages {
		var title string
		text := m.posts[p.id]
		if text != nil {
			title = text.title
		}
		add("%s", describePage(n, siteinfo.StaticPage{PostID: p.id, Path: p.path, Label: p.label,
			Navigation: p.navigation, Footer: p.footer, Title: title,
			Published: text != nil && text.status != domain.Unpublished}))
	}
	for n, f := range m.site.former {
		add("former path %d: %s leads to %s", n, f.Path, f.PostID)
	}
	add("the site is %q with the logo %q and the icon %q and features %v", m.site.name, m.site.logo, m.site.icon,
		m.site.featured)
	for content := range m.site.shown {
		add("picture %s", content)
	}
}

func describePage(n int, p siteinfo.StaticPage) string {
	return fmt.Sprintf("page %d: %s at %s, label %q, in the navigation %t, in the footer %t, title %q, published %t", n,
		p.PostID, p.Path, p.Label, p.Navigation, p.Footer, p.Title, p.Published)
}

func (m *model) describePins(user string, add func(string, ...any)) {
	for n, id := range m.pins[user] {
		add("pin %d of %s is %s", n, user, id)
		if p := m.posts[id]; p != nil && p.status.Listed() {
			add("pinned by %s: %s", user, m.summary(id))
		}
	}
}

// storedSite describes the static pages and the identity of the site, with all pictures that it may have had.
func storedSite(ctx context.Context, s *cosmos.Store, add func(string, ...any)) error {
	pages, err := s.Pages.Get(ctx)
	if err != nil {
		return err
	}
	for n, p := range pages.List {
		add("%s", describePage(n, p))
	}
	for n, f := range pages.Former {
		add("former path %d: %s leads to %s", n, f.Path, f.PostID)
	}
	settings, err := s.Settings.Get(ctx)
	if err != nil {
		return err
	}
	var shown [2]string
	for n, p := range []siteinfo.Picture{settings.Info.Logo, settings.Info.Icon} {
		if !p.Exists() {
			continue
		}
		content, err := s.Settings.Picture(ctx, p.Hash)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return err
		}
		shown[n] = string(content)
	}
	add("the site is %q with the logo %q and the icon %q and features %v", settings.Info.Name, shown[0], shown[1],
		settings.Info.FeaturedPosts())
	for _, content := range modelPictures {
		stored, err := s.Settings.Picture(ctx, domain.NewSitePicture([]byte(content)).Hash)
		if err == nil {
			add("picture %s", stored)
		} else if !domain.Is(err, domain.NotFound) {
			return err
		}
	}
	return nil
}

// storedPins describes the pinned posts of a user, and those that are shown.
func storedPins(ctx context.Context, s *cosmos.Store, user domain.User, add func(string, ...any)) error {
	for n, id := range user.Pinned() {
		add("pin %d of %s is %s", n, user.ID, id)
		post, err := s.UserCopies.Post(ctx, user.ID, id)
		if err == nil {
			add("pinned by %s: %s", user.ID, describeSummary(post))
		} else if !domain.Is(err, domain.NotFound) {
			return err
		}
	}
	return nil
}

// modelPictures are the contents of the pictures that the site may have. They are few, so that it often has one again,
// or one as the logo and as the icon.
var modelPictures = []string{"red", "green", "blue"}

// modelPaths is the number of addresses of static pages. They are few, so that pages often claim the same one.
const modelPaths = 6

func (w *world) randomPath() string { return fmt.Sprint("/page-", w.random.IntN(modelPaths)) }

// putPage adds a static page, or changes its address and its links.
func (w *world) putPage(id, path string, isNew bool) action {
	p := modelPage{id: id, path: path, label: fmt.Sprint("Label ", w.nextNumber()),
		navigation: w.random.IntN(2) == 0, footer: w.random.IntN(2) == 0}
	return action{what: fmt.Sprintf("put the page %s at %s", id, p.path),
		do: func(ctx context.Context) error {
			_, err := w.store.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
				if _, listed := pages.ByID(id); !listed && !isNew {
					return pages, errNotFound()
				}
				return domain.PutPage(pages, siteinfo.StaticPage{PostID: id, Path: p.path, Label: p.label,
					Navigation: p.navigation, Footer: p.footer})
			})
			return err
		},
		apply: func(m *model) error { return m.site.put(p, isNew) },
	}
}

// movePage moves a static page up or down. A person who got no answer moves it again only if it is at its old place.
func (w *world) movePage(id string, by int) action {
	target := w.model.site.page(id) + by
	isPlace := target >= 0 && target < len(w.model.site.pages)
	return action{what: fmt.Sprintf("move the page %s by %d", id, by),
		do: func(ctx context.Context) error {
			_, err := w.store.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
				if isPlace && pages.List[target].PostID == id {
					return pages, nil
				}
				return domain.MovePage(pages, id, by), nil
			})
			return err
		},
		apply: func(m *model) error {
			if isPlace {
				pages := m.site.pages
				pages[target], pages[target-by] = pages[target-by], pages[target]
			}
			return nil
		},
	}
}

// deletePage does the same as the site: it deletes the text, or else the draft, and then the entry.
func (w *world) deletePage(id string) action {
	return action{what: "delete the page " + id,
		do: func(ctx context.Context) error {
			if err := w.deletePageText(ctx, id); err != nil {
				return err
			}
			_, err := w.store.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
				return domain.RemovePage(pages, id), nil
			})
			return err
		},
		apply: func(m *model) error {
			if m.posts[id] != nil {
				m.deletePost(id)
			}
			delete(m.drafts, id)
			m.site.remove(id)
			return nil
		},
		partial: func(m *model) { // a page without a text loses its draft first
			if m.posts[id] == nil {
				delete(m.drafts, id)
			}
		},
	}
}

func (w *world) deletePageText(ctx context.Context, id string) error {
	err := w.store.Posts.Delete(ctx, id, domain.SiteUserID)
	if !domain.Is(err, domain.NotFound) {
		return err
	}
	d, err := w.store.Drafts.Get(ctx, domain.SiteUserID, id)
	if domain.Is(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return w.store.Drafts.Discard(ctx, domain.SiteUserID, id, d.Version)
}

// refreshPage does what the site does after it changed a text: it updates the list of pages.
func (w *world) refreshPage(ctx context.Context, id string) error {
	if !domain.IsPageID(id) {
		return nil
	}
	text, err := w.store.Posts.Latest(ctx, id)
	if err == nil {
		_, err = w.store.Pages.Refresh(ctx, text)
	}
	return err
}

// changeSite changes the settings in the database and in the model.
func (w *world) changeSite(what string, info func(*siteinfo.Info), apply func(*modelSite), pictures ...string) action {
	var contents []domain.SitePicture
	for _, p := range pictures {
		contents = append(contents, domain.NewSitePicture([]byte(p)))
	}
	return action{what: what,
		do: func(ctx context.Context) error {
			s, err := w.store.Settings.Get(ctx)
			if err != nil {
				return err
			}
			info(&s.Info)
			_, err = w.store.Settings.Set(ctx, s, contents...)
			return err
		},
		apply: func(m *model) error {
			apply(&m.site)
			for _, p := range pictures {
				m.site.shown[p] = true
			}
			return nil
		},
	}
}

func (w *world) nameSite() action {
	name := fmt.Sprint("Site ", w.nextNumber())
	return w.changeSite("name the site "+name, func(i *siteinfo.Info) { i.Name = name },
		func(s *modelSite) { s.name = name })
}

// setLooks gives the site a logo and an icon with these contents. It removes those that are empty.
func (w *world) setLooks(logo, icon string) action {
	var pictures []string
	made := func(content string) siteinfo.Picture {
		if content == "" {
			return siteinfo.Picture{}
		}
		pictures = append(pictures, content)
		return siteinfo.Picture{Hash: domain.NewSitePicture([]byte(content)).Hash, Width: 400, Height: 100}
	}
	first, second := made(logo), made(icon)
	return w.changeSite(fmt.Sprintf("set the logo %q and the icon %q", logo, icon),
		func(i *siteinfo.Info) { i.Logo, i.Icon = first, second },
		func(s *modelSite) { s.logo, s.icon = logo, icon }, pictures...)
}

// feature features some posts in place of others.
func (w *world) feature(ids ...string) action {
	var posts []siteinfo.Post
	for _, id := range ids {
		posts = append(posts, siteinfo.Post{PostID: id, AuthorID: w.model.posts[id].author})
	}
	return w.changeSite(fmt.Sprint("feature ", ids),
		func(i *siteinfo.Info) { clear(i.Featured[:]); copy(i.Featured[:], posts) },
		func(s *modelSite) { s.featured = posts })
}

// pin does the same as the site: if no further post can be pinned, it unpins posts that are not listed any more.
func (w *world) pin(user, post string) action {
	var gone []string
	if pinned := w.model.pins[user]; len(pinned) >= domain.MaxPins {
		for _, id := range pinned {
			if _, err := w.store.UserCopies.Post(w.t.Context(), user, id); domain.Is(err, domain.NotFound) {
				gone = append(gone, id)
			} else if err != nil {
				w.fatal("the pinned post %s: %v", id, err)
			}
		}
	}
	return action{what: fmt.Sprintf("pin %s by %s", post, user),
		do: func(ctx context.Context) error { return w.store.Profiles.Pin(ctx, user, post, gone) },
		apply: func(m *model) error {
			pins := slices.Clone(m.pins[user])
			if slices.Contains(pins, post) {
				return nil
			}
			pins = slices.DeleteFunc(pins, func(id string) bool { return slices.Contains(gone, id) })
			if len(pins) >= domain.MaxPins {
				return domain.ErrManyPins()
			}
			m.pins[user] = slices.Insert(pins, 0, post)
			return nil
		},
	}
}

func (w *world) unpin(user, post string) action {
	return action{what: fmt.Sprintf("unpin %s by %s", post, user),
		do: func(ctx context.Context) error { return w.store.Profiles.Unpin(ctx, user, post) },
		apply: func(m *model) error {
			m.pins[user] = slices.DeleteFunc(slices.Clone(m.pins[user]), func(id string) bool { return id == post })
			return nil
		},
	}
}

// randomSiteAction returns an action on the static pages, the settings of the site or the pins of a user.
func (w *world) randomSiteAction(user string) action {
	own := w.model.newest(func(p *modelPost) bool { return p.author == user && !p.background })
	pins := w.model.pins[user]
	switch n := w.random.IntN(16); {
	case n < 3 && len(own) > 0:
		return w.pin(user, own[w.random.IntN(len(own))])
	case n < 4 && len(pins) > 0:
		return w.unpin(user, pins[w.random.IntN(len(pins))])
	case n < 5:
		return w.nameSite()
	case n < 7:
		pictures := append([]string{""}, modelPictures...)
		return w.setLooks(pictures[w.random.IntN(len(pictures))], pictures[w.random.IntN(len(pictures))])
	case n < 8:
		listed := w.model.newest(func(*modelPost) bool { return true })
		return w.feature(listed[:min(len(listed), w.random.IntN(siteinfo.MaxFeatured+1))]...)
	}
	return w.randomPageAction()
}

func (w *world) randomPageAction() action {
	pages, n := w.model.site.pages, w.random.IntN(12)
	if len(pages) == 0 || n == 0 {
		return w.putPage(w.newPageID(), w.randomPath(), true)
	}
	id := pages[w.random.IntN(len(pages))].id
	_, drafted := w.model.drafts[id]
	switch {
	case n == 1:
		return w.putPage(id, w.randomPath(), false)
	case n < 4:
		return w.movePage(id, 1-2*w.random.IntN(2))
	case n == 4:
		return w.deletePage(id)
	case !drafted:
		return w.saveDraft(domain.SiteUserID, id)
	}
	return w.changeDraft(id)
}

func (w *world) newPageID() string { return "p." + domain.NewIDFrom(w.bytes) }

// newPage adds a static page without a text.
func (w *world) newPage() string {
	w.t.Helper()
	id := w.newPageID()
	w.must(w.putPage(id, fmt.Sprint("/new-", w.nextNumber()), true))
	return id
}

// newShownPage adds a static page and publishes its text.
func (w *world) newShownPage() string {
	w.t.Helper()
	id := w.newPage()
	w.must(w.saveDraft(domain.SiteUserID, id))
	w.must(w.publishDraft(id))
	return id
}

// siteActions returns the actions of everyAction that concern static pages, the site's identity and pinned posts.
func siteActions() map[string]func(*world) action {
	return map[string]func(*world) action{
		"page": func(w *world) action { return w.putPage(w.newPageID(), "/new", true) },
		"page's path": func(w *world) action {
			former := w.newShownPage()
			w.must(w.putPage(former, "/former", false))
			w.must(w.putPage(former, "/current", false))
			return w.putPage(w.newShownPage(), "/former", false)
		},
		"page's place": func(w *world) action {
			w.newShownPage()
			w.newPage()
			return w.movePage(w.newPage(), -1)
		},
		"page's text": func(w *world) action {
			id := w.newPage()
			w.must(w.saveDraft(domain.SiteUserID, id))
			return w.publishDraft(id)
		},
		"page's edit": func(w *world) action {
			id := w.newShownPage()
			w.must(w.saveDraft(domain.SiteUserID, id))
			return w.publishDraft(id)
		},
		"page's scheduled edit": func(w *world) action {
			id := w.newShownPage()
			w.must(w.saveDraft(domain.SiteUserID, id))
			w.must(w.scheduleDraft(id))
			return w.reachDueTime(id)
		},
		"page's unpublishing": func(w *world) action { return w.unpublish(domain.SiteUserID, w.newShownPage()) },
		"page's deletion": func(w *world) action {
			id := w.newShownPage()
			w.must(w.putPage(id, "/new", false))
			w.must(w.saveDraft(domain.SiteUserID, id))
			w.must(w.publishDraft(id))
			w.must(w.saveDraft(domain.SiteUserID, id))
			return w.deletePage(id)
		},
		"deletion of a page's text": func(w *world) action {
			return w.deletePost(domain.SiteUserID, w.newShownPage())
		},
		"deletion of a page without a text": func(w *world) action {
			id := w.newPage()
			w.must(w.saveDraft(domain.SiteUserID, id))
			return w.deletePage(id)
		},
		"site's identity": func(w *world) action {
			w.must(w.nameSite())
			w.must(w.setLooks("red", "green"))
			return w.setLooks("blue", "red")
		},
		"removal of the logo": func(w *world) action {
			w.must(w.setLooks("red", ""))
			return w.setLooks("", "")
		},
		"featured posts": func(w *world) action {
			author := w.newUser()
			w.must(w.feature(w.newPost(author)))
			return w.feature(w.newPost(author), w.newPost(author))
		},
		"pin": func(w *world) action {
			author := w.newUser()
			var oldest string
			for range domain.MaxPins {
				oldest = w.newPost(author)
				w.must(w.pin(author, oldest))
			}
			w.must(w.setStatus(author, oldest, domain.Unlisted))
			w.settle()
			return w.pin(author, w.newPost(author))
		},
		"removal of a pin": func(w *world) action {
			author := w.newUser()
			post := w.newPost(author)
			w.must(w.pin(author, post))
			return w.unpin(author, post)
		},
		"deletion of a pinned post": func(w *world) action {
			author := w.newUser()
			post := w.newPost(author)
			w.must(w.pin(author, w.newPost(author)))
			w.must(w.pin(author, post))
			return w.deletePost(author, post)
		},
	}
}
