package writing

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// editor is the form of /new and /posts/:id/edit, and the actions of its buttons.
type editor struct{ handler }

// Actions of the form's buttons.
const (
	doPublish    = "publish"
	doSave       = "save"
	doPreview    = "preview"
	doSchedule   = "schedule"
	doUnschedule = "unschedule"
	doShare      = "share"
	doUnshare    = "unshare"
	doKeepMine   = "mine"   // after a conflict
	doKeepTheirs = "theirs" // after a conflict
)

// postForm is a submitted form of a post.
type postForm struct {
	draft   domain.Draft
	publish string // the time to publish at, as typed
	zone    string // the time zone of publish
	do      string
	then    string // the action that a conflict interrupted
	edit    bool   // the form is for an existing post or draft
	sent    url.Values
}

// readPostForm reads the form of a post. Invalid numbers match no version.
func readPostForm(sent url.Values, postID string) postForm {
	t := postForm{publish: sent.Get("publishDate"), zone: sent.Get("zone"), do: sent.Get("do"), then: sent.Get("then"),
		sent: sent}
	t.draft = domain.Draft{PostID: postID, Title: sent.Get("title"), Content: lineEnds.Replace(sent.Get("content")),
		Tags: sent.Get("tags"), Details: domain.DetailsOf(sent)}
	switch t.then {
	case doPublish, doSave, doSchedule, doUnschedule, doShare, doUnshare:
	default: // no button sends this: neither publish nor choose again because of it
		t.then = doSave
	}
	t.draft.Revision, _ = strconv.Atoi(sent.Get("revision"))
	t.draft.Version, _ = strconv.Atoi(sent.Get("version"))
	if sent.Get("status") == string(domain.Unlisted) {
		t.draft.Status = domain.Unlisted
	}
	return t
}

func (t postForm) fields() view.PostFields {
	return view.PostFields{Title: t.draft.Title, Content: t.draft.Content, Tags: t.draft.Tags,
		Details: t.draft.Details, Status: t.draft.Status,
		Publish: t.publish, Zone: t.zone}
}

// formOf returns the form of a stored draft.
func formOf(d domain.Draft) postForm {
	t := postForm{draft: d}
	if !d.Publish.IsZero() {
		t.publish = d.Publish.UTC().Format(localTime)
	}
	return t
}

// submit performs the action of the form's button.
func (h editor) submit(c echo.Context, t postForm) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return h.redisplay(c, t, err)
	}
	t.draft.AuthorID = author.ID
	if t.do == doPreview {
		if err := h.Limiter.Allow(c.Request().Context(), ratelimit.Preview, author.ID); err != nil {
			return h.redisplay(c, t, err)
		}
		return h.preview(c, t)
	}
	if t.edit && t.draft.Revision < 1 { // the form of an existing post has a revision
		if _, err := t.draft.Edit(time.Now()); err != nil {
			return h.redisplay(c, t, err)
		}
		return h.conflict(c, t, domain.Errorf(domain.Conflict, ""))
	}
	to, err := h.perform(c.Request().Context(), author, t)
	switch domain.KindOf(err) {
	case domain.Conflict, domain.NotFound:
		return h.conflict(c, t, err)
	}
	if err != nil {
		return h.redisplay(c, t, err)
	}
	return site.SeeOther(c, to)
}

// perform performs the action and returns the address to go to.
func (h editor) perform(ctx context.Context, author domain.User, t postForm) (to string, err error) {
	switch t.do {
	case doKeepMine:
		if err := h.keepOtherVersion(ctx, t.draft); err != nil {
			return "", err
		}
		t.do = t.then
		return h.perform(ctx, author, t)
	case doKeepTheirs:
		_, err := h.store.Drafts.Save(ctx, separateDraft(t.draft))
		return editPath(t.draft.PostID, "kept"), err
	case doSave, doUnschedule, doShare, doUnshare:
		return h.saveAnd(ctx, t)
	}
	if _, err := h.WritingCheck.CheckFor(author, t.sent); err != nil {
		return "", err
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Post, author.ID); err != nil {
		return "", err
	}
	if t.do == doSchedule {
		return h.schedule(ctx, t)
	}
	p, err := h.publish(ctx, author, t.draft)
	return p.Path(), err
}

// saveAnd saves the draft, so that no text is lost, and performs the action.
func (h editor) saveAnd(ctx context.Context, t postForm) (to string, err error) {
	d, err := h.save(ctx, t.draft)
	if err != nil {
		return "", err
	}
	switch t.do {
	case doUnschedule:
		_, err = h.store.Drafts.Unschedule(ctx, d.AuthorID, d.PostID)
	case doShare:
		_, err = h.store.Drafts.Share(ctx, d.AuthorID, d.PostID)
	case doUnshare:
		err = h.store.Drafts.Unshare(ctx, d.AuthorID, d.PostID)
	}
	return editPath(d.PostID, t.do), err
}

// save saves a draft. It fails with Conflict if the draft or its post has changed in the meantime,
// and with NotFound if the post was deleted. A draft with the text of its newly published post is
// not saved again; its version is then 0.
func (h editor) save(ctx context.Context, d domain.Draft) (domain.Draft, error) {
	if d.Version > 0 {
		saved, err := h.store.Drafts.Save(ctx, d)
		if !domain.Is(err, domain.NotFound) {
			return saved, err
		}
		d.Version = 0 // published or discarded in another tab
	}
	p, err := h.store.Posts.Own(ctx, d.PostID, d.AuthorID)
	switch {
	case domain.Is(err, domain.NotFound) && d.Revision == 0:
	case err != nil:
		return domain.Draft{}, err
	case p.Revision == d.Revision:
	case !d.Changes(p):
		d.Revision, d.Saved = p.Revision, p.Replaced().Saved
		return d, nil
	default:
		return domain.Draft{}, domain.Errorf(domain.Conflict,
			"The post was changed in another tab or on another device.")
	}
	return h.store.Drafts.Save(ctx, d)
}

// publish publishes a draft. Repeating the request publishes it once. Text of a deleted post is
// published as a new post.
func (h editor) publish(ctx context.Context, author domain.User, d domain.Draft) (domain.Post, error) {
	_, err := d.Post(author, time.Now())
	if err != nil { // checked first, since screening renders the text
		return domain.Post{}, err
	}
	if d.Held, err = h.screen(ctx, author, d); err != nil {
		return domain.Post{}, err
	}
	p, err := h.store.Drafts.Publish(ctx, author, d, time.Now())
	if !domain.Is(err, domain.Conflict) {
		return p, err
	}
	stored, post, openErr := h.store.Drafts.Open(ctx, author.ID, d.PostID)
	switch {
	case openErr != nil && !domain.Is(openErr, domain.NotFound):
		return domain.Post{}, openErr
	case post != nil && !d.Changes(*post):
		return *post, nil // already published
	case post == nil && d.Revision == 0 && (openErr != nil || stored.Version == d.Version):
		return h.publishAnew(ctx, author, d)
	}
	return domain.Post{}, err
}

// screen decides whether the post of a draft is held for review.
func (h editor) screen(ctx context.Context, author domain.User, d domain.Draft) (domain.Hold, error) {
	now := time.Now()
	hold, err := h.Screening.Draft(ctx, author, domain.Post{}, d, now)
	if err != nil || hold == domain.NotHeld || d.Revision == 0 {
		return hold, err
	}
	before, err := h.store.Posts.Own(ctx, d.PostID, author.ID)
	switch {
	// publishing will fail with Conflict
	case domain.Is(err, domain.NotFound), err == nil && before.Revision != d.Revision:
		return hold, nil
	case err != nil:
		return domain.NotHeld, err
	}
	return h.Screening.Draft(ctx, author, before, d, now)
}

// publishAnew publishes the text of a deleted post as a new post. The first id to try is derived
// from the deleted post's, so that a double click publishes once.
func (h editor) publishAnew(ctx context.Context, author domain.User, d domain.Draft) (p domain.Post, err error) {
	former := d
	for _, id := range []string{domain.AttemptID(d.PostID, author.ID, d.Title, d.Content), domain.NewID()} {
		d.PostID, d.Version = id, 0
		if p, err = h.store.Drafts.Publish(ctx, author, d, time.Now()); !domain.Is(err, domain.Conflict) {
			break
		}
	}
	if err == nil && former.Version > 0 {
		// The text is published, so nothing is lost if the draft remains.
		if err := h.store.Drafts.Discard(ctx, author.ID, former.PostID, former.Version); err != nil {
			h.Logger.WarnContext(ctx, "cannot discard the draft of a deleted post", "err", err)
		}
	}
	return p, err
}

// keepOtherVersion saves the draft that is about to be overwritten as a separate draft. A published
// text needs no copy, because the post keeps its past versions.
func (h editor) keepOtherVersion(ctx context.Context, mine domain.Draft) error {
	stored, err := h.store.Drafts.Get(ctx, mine.AuthorID, mine.PostID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	case stored.Version != mine.Version || stored.SameText(mine):
		return nil // another conflict, or none
	}
	_, err = h.store.Drafts.Save(ctx, separateDraft(stored))
	return err
}

// separateDraft returns a separate draft with the text of a version that was not chosen. Repeating
// it returns the same draft.
func separateDraft(d domain.Draft) domain.Draft {
	return domain.Draft{PostID: domain.AttemptID(d.PostID, d.AuthorID, d.Title, d.Content, d.Tags),
		AuthorID: d.AuthorID,
		Title:    d.Title + " (other version)", Content: d.Content, Tags: d.Tags, Details: d.Details, Status: d.Status}
}

// preview shows the text as readers will see it, above the form.
func (h editor) preview(c echo.Context, t postForm) error {
	rendered, err := h.Preview(c.Request().Context(), t.draft.Title, t.draft.Content)
	if err != nil {
		return h.redisplay(c, t, err)
	}
	return h.show(c, http.StatusOK, t, func(w *view.WritePage) { w.Rendered = &rendered })
}

// redisplay shows the form again with its errors.
func (h editor) redisplay(c echo.Context, t postForm, err error) error {
	complaints, status, ok := h.FormErrors(c, err)
	if !ok {
		return err
	}
	return h.show(c, status, t, func(w *view.WritePage) { w.FormErrors = complaints })
}

// show shows the form with the author's text, and the state of the post as far as it can be read.
// It does not fail when reading fails.
func (h editor) show(c echo.Context, status int, t postForm, more func(*view.WritePage)) error {
	var stored domain.Draft
	var post *domain.Post
	if viewer, err := h.Viewer(c); err == nil && viewer.ID != "" {
		stored, post, _ = h.store.Drafts.Open(c.Request().Context(), viewer.ID, t.draft.PostID)
	}
	return h.write(c, status, t, stored, post, more)
}

func (h editor) write(c echo.Context, status int, t postForm, stored domain.Draft, post *domain.Post,
	more func(*view.WritePage)) error {
	title := newTitle
	switch {
	case t.edit && stored.Version > 0 && post == nil:
		title = draftTitle
	case t.edit:
		title = editTitle
	}
	w := view.WritePage{Page: h.FallbackLayout(c, title), Edit: t.edit && title == editTitle, PostID: t.draft.PostID,
		Revision: t.draft.Revision,
		Version:  t.draft.Version, Fields: t.fields()}
	w.Unsaved = c.Request().Method == http.MethodPost && !t.storedAs(stored, post)
	w.Stamp, _ = h.WritingCheck.CheckFor(w.Viewer, t.sent) // the submitted token, if that is valid
	if post != nil {
		w.Status, w.Rewritten = post.Status, stored.Rewrites(*post)
	}
	if stored.Version > 0 {
		w.Draft, w.SavedAgo = stored, max(0, time.Since(stored.Saved))
		if stored.Preview != "" {
			w.Preview = h.BaseURL(c) + previewPath(stored.Preview)
		}
	}
	if more != nil {
		more(&w)
	}
	return h.RenderForm(c, status, view.Write(w))
}

// storedAs reports whether the server has the text of the form: as the draft or, without one, as the
// post. A form for a new post without any text counts as stored.
func (t postForm) storedAs(draft domain.Draft, post *domain.Post) bool {
	switch {
	case draft.Version > 0:
		return t.draft.SameText(draft)
	case post != nil:
		return !t.draft.Changes(*post)
	}
	return t.draft.SameText(domain.Draft{Status: t.draft.Status})
}

const (
	newTitle   = "Write a post"
	draftTitle = "Edit draft"
	editTitle  = "Edit post"
)

// editPath returns the address of a post's form, with a message that confirms an action.
func editPath(postID, done string) string { return "/posts/" + postID + "/edit?done=" + done }

// doneMessages are the messages that confirm an action in the form.
var doneMessages = map[string]string{
	doSave:        "Draft saved.",
	doSchedule:    "Draft saved and scheduled.",
	doUnschedule:  "Schedule cancelled. The draft stays unpublished.",
	doShare:       "Private link created. Anyone with it can read this draft.",
	doUnshare:     "Private link revoked. It no longer works.",
	"kept":        "You kept this version. The other one is saved as a separate draft.",
	"unpublished": "Post unpublished. It is now a draft.",
	"restored":    "Version restored as your draft.",
}
