package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// This file models drafts.

func (p *modelPost) hasOtherText(title, content string, tags domain.Tags) bool {
	return p.title != title || p.content != content || p.tags != tags
}

// keepVersion adds the current text to the past versions, before it is replaced.
func (p *modelPost) keepVersion(id string) {
	p.edited = true
	p.versions = append(slices.Clip(p.versions),
		fmt.Sprintf("version %d of %s: %q [%s] %s", p.revision, id, p.title, p.tags, p.content))
}

// post returns a post of the model, with the fields that are compared with drafts.
func (m *model) post(id string) domain.Post {
	p := m.posts[id]
	return domain.Post{ID: id, AuthorID: p.author, Title: p.title, Content: p.content, Tags: p.tags, Status: p.status,
		Created: p.created, Revision: p.revision}
}

// describeDrafts describes the drafts, except those that equal their post. A process that crashed while it published or
// unpublished a post may leave such drafts.
func (m *model) describeDrafts(add func(string, ...any)) {
	for id, d := range m.drafts {
		if m.posts[id] == nil || d.Changes(m.post(id)) {
			add("%s", describeDraft(d, d.Preview != ""))
		}
	}
}

func describeDraft(d domain.Draft, shared bool) string {
	return fmt.Sprintf("draft of %s by %s of revision %d: %q [%s] %q %s, scheduled for %v, problem %q, shared %t",
		d.PostID, d.AuthorID, d.Revision, d.Title, d.Tags, d.Status, d.Content, d.Publish, d.Problem, shared)
}

func storedDrafts(ctx context.Context, s *cosmos.Store, userID string, add func(string, ...any)) error {
	list, err := harness.AllPages(func(n int) (domain.ListPage[domain.Draft], error) {
		return s.Drafts.List(ctx, userID, n)
	})
	if err != nil {
		return err
	}
	for _, listed := range list {
		d, err := s.Drafts.Get(ctx, userID, listed.PostID)
		if err != nil {
			return err
		}
		post, err := s.Posts.Latest(ctx, d.PostID)
		switch {
		case err == nil && post.Deleted.IsZero() && !d.Changes(post):
			continue
		case err != nil && !domain.Is(err, domain.NotFound):
			return err
		}
		shared, err := s.Drafts.Shared(ctx, d.Preview)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return err
		}
		add("%s", describeDraft(d, err == nil && shared.Draft == d))
	}
	return nil
}

// partialState returns the state that an action may leave if the process crashes.
func (a action) partialState(before *model) *model {
	state := before.clone()
	if a.partial != nil {
		a.partial(state)
	}
	return state
}

// storedDraft returns the stored draft of a post, as its author sees it before the next action.
func (w *world) storedDraft(post string) domain.Draft {
	w.t.Helper()
	author := w.model.drafts[post].AuthorID
	d, err := w.store.Drafts.Get(w.t.Context(), author, post)
	if err != nil {
		w.fatal("the draft of %s: %v", post, err)
	}
	return d
}

// saveDraft creates a draft of a post, or saves another text of the existing draft.
func (w *world) saveDraft(user, post string) action {
	n := w.nextNumber()
	d := domain.Draft{PostID: post, AuthorID: user, Begun: w.nextTime()}
	if p := w.model.posts[post]; p != nil {
		d.Revision = p.revision
	}
	if _, ok := w.model.drafts[post]; ok {
		d = w.storedDraft(post)
	}
	d.Title, d.Content, d.Tags = fmt.Sprint("Draft ", n), fmt.Sprint("drafted ", n), string(w.tags())
	d.Status, d.Problem = w.status(), ""
	return action{what: fmt.Sprintf("save the draft of %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Drafts.Save(ctx, d)
			return err
		},
		apply: func(m *model) error {
			saved := d
			saved.Preview, saved.Publish = m.drafts[post].Preview, m.drafts[post].Publish
			m.drafts[post] = saved
			return nil
		},
	}
}

// published publishes the draft of a post in the model. It returns an error if the draft cannot be published.
func (m *model) published(post string, at time.Time) error {
	d := m.drafts[post]
	p := m.posts[post]
	if d.Revision > 0 && p.revision != d.Revision {
		return domain.NewError(domain.Conflict, "changed")
	}
	if p == nil {
		p = &modelPost{author: d.AuthorID, created: at, comments: make(map[string]modelComment),
			likes: make(map[string]bool), bookmarks: make(map[string]bool)}
		m.posts[post] = p
	} else if tags, _ := domain.CleanTags(d.Tags); p.hasOtherText(d.Title, d.Content, tags) {
		p.keepVersion(post)
	}
	tags, err := domain.CleanTags(d.Tags)
	if err != nil {
		return err
	}
	p.title, p.content, p.tags, p.status, p.revision = d.Title, d.Content, tags, d.Status, d.Revision+1
	delete(m.drafts, post)
	return nil
}

func (w *world) publishDraft(post string) action {
	d, now := w.storedDraft(post), w.nextTime()
	author := domain.User{ID: d.AuthorID, Username: w.knownName(d.AuthorID)}
	if !slices.Contains(w.posts, post) {
		w.posts = append(w.posts, post)
	}
	return action{what: "publish the draft of " + post,
		do: func(ctx context.Context) error {
			_, err := w.store.Drafts.Publish(ctx, author, d, now)
			if err == nil {
				err = w.draftIsDeleted(ctx, d)
			}
			if err == nil {
				err = w.refreshPage(ctx, post)
			}
			return err
		},
		apply: func(m *model) error {
			err := m.published(post, now)
			if err != nil && !d.Publish.IsZero() {
				m.cancelPublication(post)
			}
			return err
		},
		partial: func(*model) {},
	}
}

// draftIsDeleted returns an error if a published draft is still stored, so that it is published again. Publish ignores
// a failure to delete it, because it has published the post.
func (w *world) draftIsDeleted(ctx context.Context, d domain.Draft) error {
	left, err := w.store.Drafts.Get(ctx, d.AuthorID, d.PostID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err == nil && left.Version == d.Version:
		return &domain.Error{Kind: domain.Unavailable}
	}
	return err
}

// cancelPublication clears the schedule of a draft that cannot be published and records the problem.
func (m *model) cancelPublication(post string) {
	d := m.drafts[post]
	d.Publish, d.Problem = time.Time{}, "The post was changed in another tab or on another device."
	m.drafts[post] = d
}

func (w *world) discardDraft(post string) action {
	d := w.storedDraft(post)
	return action{what: "discard the draft of " + post,
		do: func(ctx context.Context) error {
			// A first attempt may have reset the draft of an unpublished post, which then has another version.
			err := w.store.Drafts.Discard(ctx, d.AuthorID, post, d.Version)
			now, missing := w.store.Drafts.Get(ctx, d.AuthorID, post)
			if domain.Is(err, domain.Conflict) && missing == nil {
				err = w.store.Drafts.Discard(ctx, d.AuthorID, post, now.Version)
			}
			return err
		},
		apply: func(m *model) error {
			if p := m.posts[post]; p == nil || p.status != domain.Unpublished {
				delete(m.drafts, post)
				return nil
			}
			reset := domain.DraftOf(m.post(post), time.Time{})
			reset.Preview, reset.Status = m.drafts[post].Preview, m.drafts[post].Status
			m.drafts[post] = reset
			return nil
		},
		partial: func(m *model) { // the preview link is deleted first
			d := m.drafts[post]
			d.Preview = ""
			m.drafts[post] = d
		},
	}
}

func (w *world) unpublish(user, post string) action {
	return action{post: post, what: fmt.Sprintf("unpublish %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Drafts.Unpublish(ctx, user, post)
			if err == nil {
				err = w.refreshPage(ctx, post)
			}
			return err
		},
		apply: func(m *model) error {
			p := m.posts[post]
			if p == nil || p.author != user {
				return errNotFound()
			}
			if _, ok := m.drafts[post]; !ok {
				m.drafts[post] = domain.DraftOf(m.post(post), time.Time{})
			}
			m.unschedule(post)
			p.status = domain.Unpublished
			return nil
		},
		partial: func(m *model) { m.unschedule(post) }, // a new draft that equals the post is not compared
	}
}

// unschedule clears the schedule of a post's draft.
func (m *model) unschedule(post string) {
	if d, ok := m.drafts[post]; ok {
		d.Publish = time.Time{}
		m.drafts[post] = d
	}
}

func (w *world) scheduleDraft(post string) action {
	d := w.storedDraft(post)
	w.scheduling = true
	at := domain.Timestamp(time.Now().Add(time.Hour + time.Duration(w.nextNumber())*time.Millisecond))
	return action{what: "schedule the draft of " + post,
		do: func(ctx context.Context) error {
			delete(w.due, post) // only an earlier schedule is due
			_, err := w.store.Drafts.Schedule(ctx, d.AuthorID, post, d.Version, at)
			return err
		},
		apply: func(m *model) error {
			d := m.drafts[post]
			d.Publish, d.Problem = at, ""
			m.drafts[post] = d
			return nil
		},
	}
}

func (w *world) unscheduleDraft(post string) action {
	author := w.model.drafts[post].AuthorID
	return action{what: "unschedule the draft of " + post,
		do: func(ctx context.Context) error {
			_, err := w.store.Drafts.Unschedule(ctx, author, post)
			return err
		},
		apply: func(m *model) error {
			m.unschedule(post)
			return nil
		},
	}
}

// reachDueTime makes a scheduled draft due. If the process crashes, a later one publishes the draft.
func (w *world) reachDueTime(post string) action {
	d := w.model.drafts[post]
	if !slices.Contains(w.posts, post) {
		w.posts = append(w.posts, post)
	}
	return action{what: "the time of the draft of " + post,
		do: func(ctx context.Context) error {
			w.due[post] = true
			_, err := w.publishDue(ctx)
			return err
		},
		apply: func(m *model) error {
			if m.published(post, d.Publish) != nil {
				m.cancelPublication(post)
			}
			return nil
		},
		partial: func(*model) {}, // the draft stays due
	}
}

// publishDue publishes all due drafts, like the scheduler. It reports whether there were any.
func (w *world) publishDue(ctx context.Context) (published bool, err error) {
	if !w.scheduling {
		return false, nil
	}
	for e, err := range w.store.ScheduledPosts.Upcoming(ctx, time.Now().AddDate(10, 0, 0)) {
		if err != nil {
			return published, err
		}
		if !w.due[e.PostID] && time.Now().Before(e.At) {
			continue
		}
		switch _, err := w.store.Drafts.PublishScheduled(ctx, e); {
		case domain.Is(err, domain.Unavailable):
			return published, err
		case err != nil && !domain.Is(err, domain.NotFound):
			if err := w.store.Drafts.AbandonPublication(ctx, e, domain.Reason(err).Stored()); err != nil {
				return published, err
			}
		}
		published = true
		if err := w.store.ScheduledPosts.Done(ctx, e); err != nil {
			return published, err
		}
	}
	return published, nil
}

func (w *world) shareDraft(post string) action {
	author := w.model.drafts[post].AuthorID
	return action{what: "share the draft of " + post,
		do: func(ctx context.Context) error {
			_, err := w.store.Drafts.Share(ctx, author, post)
			return err
		},
		apply: func(m *model) error {
			d := m.drafts[post]
			d.Preview = "shared"
			m.drafts[post] = d
			return nil
		},
		partial: func(*model) {}, // a stored secret without a link is not compared
	}
}

func (w *world) unshareDraft(post string) action {
	author := w.model.drafts[post].AuthorID
	return action{what: "unshare the draft of " + post,
		do: func(ctx context.Context) error { return w.store.Drafts.Unshare(ctx, author, post) },
		apply: func(m *model) error {
			d := m.drafts[post]
			d.Preview = ""
			m.drafts[post] = d
			return nil
		},
		partial: func(*model) {}, // a stored secret without a link is not compared
	}
}

// randomDraftAction returns an action of a user on drafts.
func (w *world) randomDraftAction(user string) action {
	var own, live []string
	for _, id := range slices.Sorted(maps.Keys(w.model.drafts)) {
		if w.model.drafts[id].AuthorID == user {
			own = append(own, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.model.posts)) {
		if p := w.model.posts[id]; p.author == user && !p.background {
			live = append(live, id)
		}
	}
	n := w.random.IntN(12)
	switch {
	case n == 0 && len(live) > 0 || len(own) == 0 && len(live) > 0 && n < 6:
		return w.saveDraft(user, live[w.random.IntN(len(live))])
	case len(own) == 0 || n == 1:
		return w.saveDraft(user, domain.NewIDFrom(w.bytes))
	}
	return w.changeDraft(own[w.random.IntN(len(own))])
}

// changeDraft returns an action on an existing draft.
func (w *world) changeDraft(post string) action {
	n, d := 2+w.random.IntN(10), w.model.drafts[post]
	scheduled := !d.Publish.IsZero()
	switch {
	case n < 4:
		return w.saveDraft(d.AuthorID, post)
	case n < 6:
		return w.publishDraft(post)
	case n == 6:
		return w.discardDraft(post)
	case n == 7:
		return w.shareDraft(post)
	case n == 8:
		return w.unshareDraft(post)
	case scheduled && n == 9:
		return w.unscheduleDraft(post)
	case scheduled:
		return w.reachDueTime(post)
	}
	return w.scheduleDraft(post)
}

// newDraft creates the draft of a new post.
func (w *world) newDraft(author string) string {
	w.t.Helper()
	post := domain.NewIDFrom(w.bytes)
	w.must(w.saveDraft(author, post))
	return post
}

// newChange creates a draft that changes a published post.
func (w *world) newChange(author string) string {
	w.t.Helper()
	post := w.newPost(author)
	w.must(w.saveDraft(author, post))
	return post
}

// draftActions returns the actions of everyAction that concern drafts.
func draftActions() map[string]func(*world) action {
	return map[string]func(*world) action{
		"draft": func(w *world) action { return w.saveDraft(w.newUser(), domain.NewIDFrom(w.bytes)) },
		"another text of a draft": func(w *world) action {
			user := w.newUser()
			return w.saveDraft(user, w.newDraft(user))
		},
		"publication of a new post": func(w *world) action { return w.publishDraft(w.newDraft(w.newUser())) },
		"publication of a change": func(w *world) action {
			post := w.newChange(w.newUser())
			w.must(w.shareDraft(post))
			return w.publishDraft(post)
		},
		"publication before its time": func(w *world) action {
			post := w.newChange(w.newUser())
			w.must(w.scheduleDraft(post))
			return w.publishDraft(post)
		},
		"discarded draft": func(w *world) action {
			post := w.newDraft(w.newUser())
			w.must(w.shareDraft(post))
			return w.discardDraft(post)
		},
		"unpublishing": func(w *world) action { user := w.newUser(); return w.unpublish(user, w.newPost(user)) },
		"unpublishing of a post with a scheduled change": func(w *world) action {
			user := w.newUser()
			post := w.newChange(user)
			w.must(w.scheduleDraft(post))
			return w.unpublish(user, post)
		},
		"republishing": func(w *world) action {
			user := w.newUser()
			post := w.newPost(user)
			w.must(w.unpublish(user, post))
			return w.publishDraft(post)
		},
		"reset": func(w *world) action {
			user := w.newUser()
			post := w.newPost(user)
			w.must(w.unpublish(user, post))
			w.must(w.saveDraft(user, post))
			return w.discardDraft(post)
		},
		"schedule": func(w *world) action { return w.scheduleDraft(w.newDraft(w.newUser())) },
		"reschedule": func(w *world) action {
			post := w.newDraft(w.newUser())
			w.must(w.scheduleDraft(post))
			return w.scheduleDraft(post)
		},
		"unschedule": func(w *world) action {
			post := w.newDraft(w.newUser())
			w.must(w.scheduleDraft(post))
			return w.unscheduleDraft(post)
		},
		"scheduled post": func(w *world) action {
			post := w.newDraft(w.newUser())
			w.must(w.shareDraft(post))
			w.must(w.scheduleDraft(post))
			return w.reachDueTime(post)
		},
		"scheduled change": func(w *world) action {
			post := w.newChange(w.newUser())
			w.must(w.scheduleDraft(post))
			return w.reachDueTime(post)
		},
		"scheduled change of a post that was changed since": func(w *world) action {
			user := w.newUser()
			post := w.newChange(user)
			w.must(w.scheduleDraft(post))
			w.must(w.edit(user, post))
			return w.reachDueTime(post)
		},
		"preview link": func(w *world) action { return w.shareDraft(w.newDraft(w.newUser())) },
		"removal of a preview link": func(w *world) action {
			post := w.newDraft(w.newUser())
			w.must(w.shareDraft(post))
			return w.unshareDraft(post)
		},
		"deletion of a post with a draft and versions": func(w *world) action {
			user := w.newUser()
			post := w.newChange(user)
			w.must(w.publishDraft(post))
			w.must(w.saveDraft(user, post))
			w.must(w.shareDraft(post))
			w.must(w.scheduleDraft(post))
			return w.deletePost(user, post)
		},
		"deletion of an account with drafts": func(w *world) action {
			user := w.newUser()
			w.must(w.scheduleDraft(w.newDraft(user)))
			w.must(w.shareDraft(w.newChange(user)))
			published := w.newDraft(user)
			w.must(w.shareDraft(published))
			w.must(w.publishDraft(published))
			return w.deleteAccount(user)
		},
	}
}
