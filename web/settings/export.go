package settings

import (
	"context"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
	"inkfeed/web/site"
)

// maxExports is how many exports are made at a time. Each reads everything that a user wrote.
const maxExports = 4

// settingsExport exports everything that a user wrote, as a zip file that can be imported again.
type settingsExport struct {
	handler
	slots chan struct{}
	busy  *sync.Map // ids of the users with an export in progress
}

func newSettingsExport(h handler) settingsExport {
	return settingsExport{h, make(chan struct{}, maxExports), new(sync.Map)}
}

func (h settingsExport) register(e *echo.Echo) { site.Get(e, site.ExportRoute, h.download) }

var errManyExports = domain.NewError(domain.Unavailable,
	"Many people are exporting their content right now. Please try again in a few minutes.")

func (h settingsExport) download(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if _, running := h.busy.LoadOrStore(u.ID, true); running {
		return domain.NewError(domain.Unavailable, "Wait until your current download is finished, then try again.")
	}
	defer h.busy.Delete(u.ID)
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		return errManyExports
	}
	ctx, now := c.Request().Context(), time.Now()
	paths, err := h.store.Export.Paths(ctx, u.ID)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("inkfeed-%s-%s.zip", strings.Map(fileNameRune, u.Username), now.UTC().Format(time.DateOnly))
	header := c.Response().Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	header.Set("Cache-Control", site.CacheNever)
	if c.Request().Method == http.MethodHead {
		return c.NoContent(http.StatusOK)
	}
	err = export.Write(newSteadyWriter(c.Response(), now.Add(site.ExportLimits.Time)), h.source(ctx, u, paths), now)
	if err != nil && c.Response().Committed {
		// Break the connection, so that an incomplete file does not look complete.
		h.Logger.WarnContext(ctx, "an export was interrupted", "error", err, "request_id", site.RequestID(c))
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		header.Del("Content-Type")
		header.Del("Content-Disposition") // an error page follows instead
	}
	return err
}

// fileNameRune keeps the characters of usernames, which every system accepts in file names.
// Usernames from before these rules may contain others.
func fileNameRune(r rune) rune {
	if r == '-' || r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
		return r
	}
	return '_'
}

// MaxStall is how long an export waits for the client to read more of it. site.ExportLimits limits
// the whole download.
const MaxStall = time.Minute

// steadyWriter is a response that fails after MaxStall without progress, or at its end time. So a
// stalled download does not occupy a slot.
type steadyWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	end     time.Time
}

func newSteadyWriter(w http.ResponseWriter, end time.Time) steadyWriter {
	return steadyWriter{w, http.NewResponseController(w), end}
}

func (s steadyWriter) Write(b []byte) (int, error) {
	deadline := time.Now().Add(MaxStall)
	if s.end.Before(deadline) {
		deadline = s.end
	}
	_ = s.control.SetWriteDeadline(deadline) // not every connection supports this
	return s.ResponseWriter.Write(b)
}

// source returns the content of a user's export.
func (h settingsExport) source(ctx context.Context, u domain.User, paths map[string][]string) export.Source {
	profile := portable.Profile{UserID: u.ID, Username: u.Username, DisplayName: u.DisplayName, Created: u.Created,
		Bio: u.Bio, Avatar: u.Avatar, BlogTitle: u.BlogTitle, Links: u.SetLinks(), WritingLanguage: u.WritingLanguage,
		Pins: u.Pinned()}
	if u.Header.Exists() {
		profile.Header, profile.HeaderAlt = export.ImagePath(u.Header.Name()), u.Header.Alt
	}
	if profile.Avatar != "" {
		profile.Avatar = export.ImagePath(profile.Avatar)
	}
	return export.Source{
		Profile: profile,
		Posts:   func() iter.Seq2[portable.Post, error] { return h.posts(ctx, u, paths) },
		Comments: mapSeq(h.store.Export.Comments(ctx, u.ID), func(c domain.Comment) portable.Comment {
			return portable.Comment{ID: c.ID, PostID: c.PostID, Post: "/posts/" + c.PostID, ParentID: c.ParentID,
				Content: c.Content, Created: c.Created, Edited: c.Edited}
		}),
		Likes: mapSeq(h.store.Export.Likes(ctx, u.ID), func(l domain.Like) portable.Reaction {
			return portable.Reaction{PostID: l.PostID, Post: "/posts/" + l.PostID, Created: l.Created}
		}),
		Bookmarks: mapSeq(h.store.Export.Bookmarks(ctx, u.ID), func(b domain.Bookmark) portable.Reaction {
			return portable.Reaction{PostID: b.PostID, Post: "/posts/" + b.PostID, Created: b.Created}
		}),
		Images: mapSeq(h.store.Export.Images(ctx, u.ID), func(i domain.Image) export.Image {
			return export.Image{Name: i.Name, Open: func() (io.ReadCloser,
				error) {
				return h.store.Files.Open(ctx, i.Name.String())
			}}
		}),
	}
}

func mapSeq[T, U any](all iter.Seq2[T, error], as func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for each, err := range all {
			var u U
			if err == nil {
				u = as(each)
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

// posts yields a user's posts, and then the drafts without a post.
func (h settingsExport) posts(ctx context.Context, u domain.User, paths map[string][]string) iter.Seq2[portable.Post,
	error] {
	return func(yield func(portable.Post, error) bool) {
		for p, err := range h.store.Export.Posts(ctx, u.ID) {
			var post portable.Post
			if err == nil {
				post, err = h.post(ctx, p, paths[p.ID])
			}
			if !yield(post, err) || err != nil {
				return
			}
		}
		for d, err := range h.store.Export.Drafts(ctx, u.ID) {
			if err == nil {
				var there bool
				if there, err = h.hasPost(ctx, d); there {
					continue
				}
			}
			if !yield(exportedDraft(d, paths[d.PostID]), err) || err != nil {
				return
			}
		}
	}
}

// isPost reports whether the draft belongs to a post, which is exported with it.
func (h settingsExport) hasPost(ctx context.Context, d domain.Draft) (bool, error) {
	_, err := h.store.Posts.Own(ctx, d.PostID, d.AuthorID)
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// post returns a post for the export, with its past versions and the draft that changes it.
func (h settingsExport) post(ctx context.Context, p domain.Post, paths []string) (portable.Post, error) {
	out := portable.Post{ID: p.ID, Title: p.Title, Content: p.Content, Tags: p.Tags.List(), Slug: p.Slug,
		Details: p.Details, Status: portable.Published, Created: p.Created, Edited: p.Edited, Paths: paths}
	switch p.Status {
	case domain.Unlisted:
		out.Status = portable.Unlisted
	case domain.Unpublished:
		out.Status = portable.Unpublished
	}
	if p.Revision > 1 {
		for v, err := range h.store.Export.Versions(ctx, p.ID) {
			if err != nil {
				return portable.Post{}, err
			}
			out.Versions = append(out.Versions, portable.Version{Revision: v.Revision, Title: v.Title,
				Tags: v.Tags.List(), Details: v.Details, Content: v.Content, Saved: v.Saved})
		}
	}
	draft, err := h.store.Drafts.Get(ctx, p.AuthorID, p.ID)
	switch {
	case domain.Is(err, domain.NotFound):
	case err != nil:
		return portable.Post{}, err
	case draft.Title != p.Title || draft.Content != p.Content || draft.Tags != domain.DraftOf(p, p.Created).Tags,
		draft.Details != p.Details:
		out.Edition = &portable.Edition{Title: draft.Title, Tags: draft.Tags, Details: draft.Details,
			Content: draft.Content, Publish: draft.Publish}
	}
	return out, nil
}

func exportedDraft(d domain.Draft, paths []string) portable.Post {
	p := portable.Post{ID: d.PostID, Title: d.Title, Content: d.Content, Tags: export.SplitTags(d.Tags), Slug: d.Slug,
		Details: d.Details, Status: portable.Draft, Created: d.Begun, Publish: d.Publish, Paths: paths}
	if !d.Publish.IsZero() {
		p.Status = portable.Scheduled
	}
	p.Hidden = d.Status == domain.Unlisted
	return p
}
