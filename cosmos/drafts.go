package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/notifications"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Drafts stores the drafts of posts, each in its author's partition of users. Saving a draft is one
// write there. It does not appear in the change feed of posts, which updates the copies.
type Drafts struct {
	c             *client.Container // users
	users         *Users
	posts         *posts.Posts
	schedule      *Schedule
	review        Review // nil holds no posts
	notifications *notifications.Notifications
	mentioned     func(content string) []string // that of Options
	noQuota       bool
}

type draftItem struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	UserID  string         `json:"userId"`
	PostID  string         `json:"postId"`
	Title   string         `json:"title"`
	Content string         `json:"content"`
	Tags    string         `json:"tags"` // as typed
	Details domain.Details `json:"details,omitzero"`
	Slug    string         `json:"slug,omitempty"`
	Status  domain.Status  `json:"status,omitempty"`
	// Revision is the post's revision when the draft was begun.
	Revision     int            `json:"revision"`
	Version      int            `json:"version"`
	CreationDate schema.Instant `json:"creationDate"`
	SavedDate    schema.Instant `json:"savedDate"`
	// PublishDate is set in scheduled drafts only.
	PublishDate *schema.Instant `json:"publishDate,omitempty"`
	Publishing  bool            `json:"publishing,omitempty"`
	Problem     locale.Stored   `json:"problem,omitempty"`
	Preview     string          `json:"preview,omitempty"`
	// Bytes is what the author's draftBytes has for this draft. A draft of an earlier release is not counted yet.
	Bytes int64 `json:"bytes,omitempty"`
	// Held says how the post will be held, in drafts that are scheduled or being published.
	Held domain.Hold `json:"held,omitempty"`
	ETag string      `json:"_etag,omitempty"`
}

func draftItemOf(d domain.Draft) draftItem {
	return draftItem{ID: schema.DraftID(d.PostID), Type: schema.TypeDraft, UserID: d.AuthorID, PostID: d.PostID,
		Title: d.Title, Content: d.Content, Tags: d.Tags, Details: d.Details, Slug: d.Slug, Status: d.Status,
		Revision: d.Revision, Version: d.Version, CreationDate: schema.Instant(d.Begun),
		SavedDate: schema.Instant(d.Saved), PublishDate: schema.Optional(d.Publish), Publishing: d.Publishing,
		Problem: d.Problem, Preview: d.Preview, Bytes: d.Bytes, Held: d.Held}
}

func (i draftItem) domain() domain.Draft {
	return domain.Draft{PostID: i.PostID, AuthorID: i.UserID, Title: i.Title, Content: i.Content, Tags: i.Tags,
		Details: i.Details, Slug: i.Slug, Status: i.Status, Revision: i.Revision, Version: i.Version,
		Begun: time.Time(i.CreationDate), Saved: time.Time(i.SavedDate), Publish: i.PublishDate.Time(),
		Publishing: i.Publishing, Problem: i.Problem, Preview: i.Preview, Bytes: i.Bytes, Held: i.Held}
}

func errNoDraft() error { return domain.NewError(domain.NotFound, "There is no such draft.") }

func errDraftChanged() error {
	return domain.NewError(domain.Conflict, "The draft was changed in another tab or on another device.")
}

func errPublishing() error {
	return domain.NewError(domain.Conflict, "The draft is being published right now.")
}

// Save stores a draft with one write. If d.Version is 0, it creates the draft; otherwise the stored
// draft must have that version. Save returns the draft as stored, with its new version and the time
// of saving. It ignores the schedule and the preview link in d.
//
// It returns Conflict if the draft was saved in the meantime or is being published; Get then reads
// the current draft. It returns NotFound if the draft has been published or discarded, and Invalid
// if it is too large or would be a new one beyond the quota. Saving the text that is stored already is
// no conflict.
func (s *Drafts) Save(ctx context.Context, d domain.Draft) (domain.Draft, error) {
	ctx = savingDraft.In(ctx)
	if !domain.IsTextID(d.PostID) || !domain.IsOwnerID(d.AuthorID) {
		return domain.Draft{}, errNoDraft()
	}
	if err := domain.CheckDraft(d); err != nil {
		return domain.Draft{}, err
	}
	now := domain.Timestamp(time.Now())
	if d.Version == 0 {
		return s.begin(ctx, d, now)
	}
	var ops azcosmos.PatchOperations
	appendText(&ops, d)
	ops.AppendSet("/savedDate", schema.Instant(now))
	ops.AppendSet("/problem", "")
	ops.AppendIncrement("/version", 1)
	item, err := s.patchText(ctx, d, fmt.Sprintf("%s and c.version = %d", ifChangeable, d.Version), ops)
	return s.changed(ctx, d.AuthorID, d.PostID, item, err,
		func(current domain.Draft) bool { return current.SameText(d) })
}

// appendText appends the operations that replace the text of a draft by that of d.
func appendText(ops *azcosmos.PatchOperations, d domain.Draft) {
	ops.AppendSet("/title", d.Title)
	ops.AppendSet("/content", d.Content)
	ops.AppendSet("/tags", d.Tags)
	ops.AppendSet("/details", d.Details)
	ops.AppendSet("/status", d.Status)
	ops.AppendSet("/revision", d.Revision)
}

// SetSeries puts the stored draft of version d.Version into the series that d names, and sets its revision to
// d.Revision. Unlike Save, it keeps the problem of a scheduled publication and the draft's place in the list. It
// returns the errors of Save.
func (s *Drafts) SetSeries(ctx context.Context, d domain.Draft) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.version = %d", ifChangeable, d.Version))
	ops.AppendSet("/details", d.Details)
	ops.AppendSet("/revision", d.Revision)
	ops.AppendIncrement("/version", 1)
	done := func(current domain.Draft) bool { return current.Details == d.Details && current.Revision == d.Revision }
	_, err := s.change(savingDraft.In(ctx), d.AuthorID, d.PostID, ops, done)
	return err
}

// begin makes a draft that has not been saved before.
func (s *Drafts) begin(ctx context.Context, d domain.Draft, now time.Time) (domain.Draft, error) {
	d.Version, d.Saved, d.Publish, d.Publishing, d.Problem, d.Preview = 1, now, time.Time{}, false, "", ""
	if d.Begun = domain.Timestamp(d.Begun); d.Begun.IsZero() {
		d.Begun = now
	}
	d.Bytes = d.CountedBytes()
	err := s.create(ctx, d)
	if client.StatusOf(err) != http.StatusConflict {
		return d, client.Translate(err)
	}
	current, err := s.Get(ctx, d.AuthorID, d.PostID)
	if err == nil && current.SameText(d) {
		return current, nil
	}
	if err == nil || domain.Is(err, domain.NotFound) { // deleted again in the meantime
		err = errDraftChanged()
	}
	return domain.Draft{}, err
}

// ifChangeable is the condition that a draft is not being published.
const ifChangeable = "from c where not is_defined(c.publishing)"

// change patches a draft and returns it. If the condition of ops fails, done decides whether the
// stored draft has the change already, for example from an earlier attempt of this call.
func (s *Drafts) change(ctx context.Context, userID, postID string, ops azcosmos.PatchOperations,
	done func(domain.Draft) bool) (domain.Draft, error) {
	item, err := client.PatchReturning[draftItem](ctx, s.c, userID, schema.DraftID(postID), ops)
	return s.changed(ctx, userID, postID, item, err, done)
}

// changed returns the result of a change of a draft, given the item or the error with which the change ended.
func (s *Drafts) changed(ctx context.Context, userID, postID string, item draftItem, err error,
	done func(domain.Draft) bool) (domain.Draft, error) {
	switch {
	case client.Missing(err):
		return domain.Draft{}, errNoDraft()
	case !client.ConditionFailed(err):
		return item.domain(), client.Translate(err)
	}
	current, err := s.Get(ctx, userID, postID)
	switch {
	case err != nil:
		return domain.Draft{}, err
	case done(current):
		return current, nil
	case current.Publishing:
		return domain.Draft{}, errPublishing()
	}
	return domain.Draft{}, errDraftChanged()
}

// Get reads an author's draft of a post, which may not exist yet. It is a point read.
func (s *Drafts) Get(ctx context.Context, userID, postID string) (domain.Draft, error) {
	item, err := s.read(client.Reads("draft").In(ctx), userID, postID)
	return item.domain(), err
}

func (s *Drafts) read(ctx context.Context, userID, postID string) (draftItem, error) {
	if !domain.IsTextID(postID) || !domain.IsOwnerID(userID) {
		return draftItem{}, errNoDraft()
	}
	item, err := client.Read[draftItem](ctx, s.c, userID, schema.DraftID(postID))
	if client.Missing(err) {
		err = errNoDraft()
	}
	return item, client.Translate(err)
}

// List returns one page of an author's drafts, the most recently saved first, with the first 1,000
// characters of their texts. It is a query in the author's partition.
func (s *Drafts) List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Draft], error) {
	rows, err := client.Query[draftItem](client.Reads("drafts").In(ctx), s.c, userID,
		`SELECT c.userId, c.postId, c.title, LEFT(c.content, 1000) AS content, c.tags, c.details, c.status,
			c.revision, c.version, c.creationDate, c.savedDate, c.publishDate, c.publishing, c.problem, c.preview
		 FROM c WHERE c.userId = @user AND c.type = 'draft'
		 ORDER BY c.type DESC, c.savedDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.DraftsPerPage, client.Parameters{"user": userID}))
	drafts := client.Convert(rows, draftItem.domain)
	return domain.Cut(drafts, page, domain.DraftsPerPage), client.Translate(err)
}

// Open reads the draft and the post that an author edits. The post is nil if there is none. If the post has
// no draft, Open returns an unsaved one of version 0 with the text of the post. It discards a draft
// that was published but not deleted because a process died. It returns NotFound if the user has
// neither draft nor post.
func (s *Drafts) Open(ctx context.Context, userID, postID string) (domain.Draft, *domain.Post, error) {
	ctx = client.WritesOnly("open-draft", 0).In(ctx)
	draft, err := s.Get(ctx, userID, postID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return domain.Draft{}, nil, err
	}
	drafted := err == nil
	post, err := s.posts.Own(ctx, postID, userID)
	switch {
	case domain.Is(err, domain.NotFound) && drafted:
		return draft, nil, nil
	case err != nil:
		return domain.Draft{}, nil, err
	case drafted && !draft.Leftover(post):
		return draft, &post, nil
	case drafted:
		if err := s.Discard(ctx, userID, postID, draft.Version); err != nil {
			return domain.Draft{}, nil, err
		}
	}
	return domain.DraftOf(post, time.Now()), &post, nil
}

// Discard deletes the given version of a draft, with its preview link. It returns nil if the draft is
// gone, and Conflict if it has been saved since. The draft of an unpublished post is all that its
// author can see of the post. So Discard keeps that draft and resets it to the text of the post.
func (s *Drafts) Discard(ctx context.Context, userID, postID string, version int) error {
	ctx = client.WritesOnly("discard-draft", 0).In(ctx)
	item, err := s.read(ctx, userID, postID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	case item.Publishing:
		return errPublishing()
	case item.Version != version:
		return errDraftChanged()
	}
	// A draft of revision 0 may have a post too, if it was published but not deleted.
	post, err := s.posts.Own(ctx, postID, userID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return err
	}
	if err == nil && post.Status == domain.Unpublished {
		return s.reset(ctx, item, post)
	}
	if err := s.deletePreview(ctx, item.Preview); err != nil {
		return client.Translate(err)
	}
	return s.deleteUnchanged(ctx, item)
}

// reset replaces the text of a draft by that of the post. It keeps the draft's status, because an
// unpublished post does not record whether it was listed.
func (s *Drafts) reset(ctx context.Context, item draftItem, post domain.Post) error {
	if item.PublishDate != nil {
		if _, err := s.Unschedule(ctx, item.UserID, item.PostID); err != nil {
			return err
		}
	}
	d := domain.DraftOf(post, time.Now())
	d.Version, d.Status = item.Version, item.Status
	_, err := s.Save(ctx, d)
	return err
}
