package writing

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
)

// What a button of the form asks to be done.
const (
	doPublish    = "publish"
	doSave       = "save"
	doPreview    = "preview"
	doSchedule   = "schedule"
	doUnschedule = "unschedule"
	doShare      = "share"
	doUnshare    = "unshare"
	doKeepMine   = "mine"   // of two versions
	doKeepTheirs = "theirs" // of two versions
)

// typed is what the form of a post sent.
type typed struct {
	draft   domain.Draft
	publish string // when, as the field has it
	zone    string // of that time
	do      string
	then    string // what was to be done before two versions had to be chosen from
	edit    bool   // from the form of a post, or a draft, that was there before
	sent    url.Values
}

// readTyped reads the form of that post. Numbers that are none are of no version.
func readTyped(sent url.Values, postID string) typed {
	t := typed{publish: sent.Get("publishDate"), zone: sent.Get("zone"), do: sent.Get("do"), then: sent.Get("then"),
		sent: sent}
	t.draft = domain.Draft{PostID: postID, Title: sent.Get("title"), Content: lineEnds.Replace(sent.Get("content")),
		Tags: sent.Get("tags"), Details: domain.DetailsOf(sent)}
	switch t.then {
	case doPublish, doSave, doSchedule, doUnschedule, doShare, doUnshare:
	default: // no button says so: neither publish on it, nor choose again
		t.then = doSave
	}
	t.draft.Revision, _ = strconv.Atoi(sent.Get("revision"))
	t.draft.Version, _ = strconv.Atoi(sent.Get("version"))
	if sent.Get("status") == string(domain.Unlisted) {
		t.draft.Status = domain.Unlisted
	}
	return t
}

func (t typed) fields() view.PostFields {
	return view.PostFields{Title: t.draft.Title, Content: t.draft.Content, Tags: t.draft.Tags,
		Details: t.draft.Details, Status: t.draft.Status,
		PublishAt: t.publish, Zone: t.zone}
}

// typedOf is the form of a draft as it is saved.
func typedOf(d domain.Draft) typed {
	t := typed{draft: d}
	if !d.Publish.IsZero() {
		t.publish = d.Publish.UTC().Format(localTime)
	}
	return t
}

// storedAs reports whether the server has the text of the form: as the draft or, without one, as the
// post. A form for a new post without any text counts as stored.
func (t typed) storedAs(draft domain.Draft, post *domain.Post) bool {
	switch {
	case draft.Version > 0:
		return t.draft.SameText(draft)
	case post != nil:
		return !t.draft.Changes(*post)
	}
	return t.draft.SameText(domain.Draft{Status: t.draft.Status})
}

// back gives the form back, with what is wrong.
func (h editor) back(c echo.Context, t typed, err error) error {
	complaints, status, ok := h.FormErrors(c, err)
	if !ok {
		return err
	}
	return h.show(c, status, t, func(w *view.WritePage) { w.FormErrors = complaints })
}

// show shows the form with what was typed, and as much as can be found out of where
// the post stands: the form comes back whatever else fails.
func (h editor) show(c echo.Context, status int, t typed, more func(*view.WritePage)) error {
	var stored domain.Draft
	var post *domain.Post
	if viewer, err := h.Viewer(c); err == nil && viewer.ID != "" {
		stored, post, _ = h.store.Drafts.Open(c.Request().Context(), viewer.ID, t.draft.PostID)
	}
	return h.write(c, status, t, stored, post, more)
}

func (h editor) write(c echo.Context, status int, t typed, stored domain.Draft, post *domain.Post,
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
	w.FormToken, _ = h.WritingCheck.CheckFor(w.Viewer, t.sent) // the one it came with, if that is good
	if post != nil {
		w.Status, w.DraftDiffers = post.Status, stored.Rewrites(*post)
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

const (
	newTitle   = "Write a post"
	draftTitle = "Edit draft"
	editTitle  = "Edit post"
)

// editPath is the form of a post, which then says what was done.
func editPath(postID, done string) string { return "/posts/" + postID + "/edit?done=" + done }

// doneMessages is what the form says of what was done.
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
