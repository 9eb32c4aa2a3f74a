package writing

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/writing"
)

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
	viewer  domain.User
	publish string // the time to publish at, as typed
	zone    string // the time zone of publish
	do      string
	then    string // the action that a conflict interrupted
	edit    bool   // the form is for an existing post or draft
	listed  bool   // the form is for a static page that had an address but no text
	sent    url.Values
	notes   bool // the author publishes a static page together with notes of its outline
}

// readPostForm reads the form of a post. Invalid numbers match no version.
func readPostForm(sent url.Values, postID string) postForm {
	t := postForm{publish: sent.Get("publishDate"), zone: sent.Get("zone"), do: sent.Get("do"), then: sent.Get("then"),
		listed: sent.Get("listed") != "", notes: sent.Get("notes") != "", sent: sent}
	t.draft = domain.Draft{PostID: postID, Title: oneLine.Replace(sent.Get("title")),
		Content: lineEnds.Replace(sent.Get("content")), Tags: sent.Get("tags"),
		Details: domain.DetailsOf(func(name string) string { return oneLine.Replace(sent.Get(name)) })}
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
	if domain.IsPageID(postID) { // no list shows it
		t.draft.Tags, t.draft.Status = "", domain.Published
		t.draft.Details = t.draft.Details.OfPage()
	}
	return t
}

func (t postForm) fields() view.PostFields {
	return view.PostFields{Title: t.draft.Title, Content: t.draft.Content, Tags: t.draft.Tags,
		Details: t.draft.Details, Status: t.draft.Status,
		PublishAt: t.publish, Zone: t.zone}
}

// formOf returns the form of a stored draft.
func formOf(d domain.Draft) postForm {
	t := postForm{draft: d}
	if !d.Publish.IsZero() {
		t.publish = d.Publish.UTC().Format(localTime)
	}
	return t
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

// redisplay shows the form again with its errors.
func (h editor) redisplay(c echo.Context, t postForm, err error) error {
	errs, status, ok := h.FormErrors(c, err)
	if !ok {
		return err
	}
	return h.show(c, status, t, func(w *view.WritePage) { w.FormErrors = errs })
}

// show shows the form with the author's text, and the state of the post as far as it can be read.
// It does not fail when reading fails.
func (h editor) show(c echo.Context, status int, t postForm, more func(*view.WritePage)) error {
	var stored domain.Draft
	var post *domain.Post
	if author, err := h.AuthorOf(c, t.draft.PostID); err == nil {
		stored, post, _ = h.store.Drafts.Open(c.Request().Context(), author.ID, t.draft.PostID)
	}
	return h.write(c, status, t, stored, post, more)
}

func (h editor) write(c echo.Context, status int, t postForm, stored domain.Draft, post *domain.Post,
	more func(*view.WritePage)) error {
	title, edit := locale.M("Write a post"), false
	switch isPage := domain.IsPageID(t.draft.PostID); {
	case t.edit && stored.Version > 0 && post == nil:
		title = locale.M("Edit draft")
	case t.edit && isPage:
		title, edit = locale.M("Edit page"), true
	case isPage:
		title = locale.M("Write a page")
	case t.edit:
		title, edit = locale.M("Edit post"), true
	}
	w := view.WritePage{LayoutData: h.FallbackLayout(c, title.In(c.Request().Context())), Edit: edit,
		PostID: t.draft.PostID, Revision: t.draft.Revision, Version: t.draft.Version, Listed: t.listed,
		Fields: t.fields()}
	w.UserID = cmp.Or(t.sent.Get("user"), w.Viewer.ID)
	w.Unsaved = c.Request().Method == http.MethodPost && !t.storedAs(stored, post)
	if c.Request().Method == http.MethodGet && (stored.Version > 0 || post != nil) {
		w.FormToken = h.WritingCheck.TokenForSaved(w.Viewer)
	} else {
		w.FormToken, _, _ = h.WritingCheck.CheckUser(w.Viewer, t.sent) // the submitted token, if that is valid
	}
	if post != nil {
		w.Status, w.Held, w.DraftDiffers = post.Status, post.Held, stored.Rewrites(*post)
	}
	if stored.Version > 0 {
		w.Draft, w.SavedAgo = stored, max(0, time.Since(stored.Saved))
		if stored.Preview != "" {
			w.Preview = h.BaseURL(c) + previewPath(stored.Preview)
		}
	}
	w.Notes, w.NotesStay = c.Request().Method == http.MethodPost && len(h.notesIn(t.draft)) > 0, t.notes
	if more != nil {
		more(&w)
	}
	if !domain.IsPageID(w.PostID) {
		w.Series = h.authorSeries(c, w.Viewer)
		p := futurePost(w.Viewer, t.draft, stored, post)
		w.Address = h.BaseURL(c) + p.Path()
		if w.Rendered != nil { // while the server is busy, the preview has no card
			w.Card, _ = h.PreviewSummary(c.Request().Context(), p)
		}
	}
	return h.RenderForm(c, status, view.Write(w))
}

// authorSeries returns the author's series for the form to offer. Without them the form is still useful.
func (h editor) authorSeries(c echo.Context, author domain.User) []domain.Series {
	if author.ID == "" {
		return nil
	}
	all, err := h.store.UserCopies.AllSeries(c.Request().Context(), author.ID)
	if err != nil {
		h.Logger.WarnContext(c.Request().Context(), "cannot read the series of an author", "user", author.ID,
			"error", err)
	}
	return all
}

// editPath returns the address of a post's form, with a message that confirms an action.
func editPath(postID, done string) string { return "/posts/" + postID + "/edit?done=" + done }

// doneMessages are the messages that confirm an action in the form.
var doneMessages = map[string]locale.Message{
	doSave:        locale.M("Draft saved."),
	doSchedule:    locale.M("Draft saved and scheduled."),
	doUnschedule:  locale.M("Schedule cancelled. The draft stays unpublished."),
	doShare:       locale.M("Private link created. Anyone with it can read this draft."),
	doUnshare:     locale.M("Private link revoked. It no longer works."),
	"kept":        locale.M("You kept this version. The other one is saved as a separate draft."),
	"unpublished": locale.M("Post unpublished. It is now a draft."),
	"withdrawn":   locale.M("Page unpublished. It is now a draft."),
	doneRestored:  locale.M("Version restored as your draft. To go back, discard the changes."),
	doneRestoredWithDraft: locale.M("Version restored as your draft. " +
		"The text that it replaced is kept as a separate draft. Find it in Drafts."),
}
