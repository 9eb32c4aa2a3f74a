package reading

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// post serves the page of a post with its first comments.
type post struct {
	handler
	policy site.ResponsePolicy
}

func (h post) register(e *echo.Echo) {
	h.GetSharedShell(e, "/posts/:id", h.show)
	h.GetSharedShell(e, "/posts/:id/:slug", h.show)
}

func (h post) show(c echo.Context) error {
	if page, ok := h.StaticPages().ByID(c.Param("id")); ok {
		return site.SeeOther(c, h.Info().PagePath(page))
	}
	p, err := h.finder.PostOfAnyAuthor(c)
	if domain.Is(err, domain.NotFound) && h.unpublished(c) {
		return site.SeeOther(c, "/posts/"+c.Param("id")+"/edit")
	}
	if err != nil {
		return err
	}
	if slug, err := url.PathUnescape(c.Param("slug")); err != nil || slug != p.Details.Slug(p.Slug, p.Title) {
		return h.redirect(c, p)
	}
	return h.render(c, http.StatusOK, p, h.NewCommentForm(c, p.ID))
}

// redirect redirects to the post's canonical address. That address contains the title, so once the
// author is suspended the redirect is refused like the page.
func (h post) redirect(c echo.Context, p domain.Post) error {
	if err := h.finder.CheckAuthor(c, p); err != nil {
		return err
	}
	return site.MovedPermanently(c, p.Path())
}

// unpublished reports whether the address is that of an unpublished post of the viewer. Its author
// continues it as a draft.
func (h post) unpublished(c echo.Context) bool {
	author, err := h.Viewer(c)
	if err != nil || author.ID == "" || !domain.IsID(c.Param("id")) {
		return false
	}
	_, err = h.store.Posts.Own(c.Request().Context(), c.Param("id"), author.ID)
	return err == nil
}

// descriptionLength is about the length in characters that search engines show.
const descriptionLength = 155

// bioLength is the maximum length of the author's biography below a post, in characters.
const bioLength = 240

// render writes the page of a post with its first comments and a comment form.
func (h post) render(c echo.Context, status int, p domain.Post, form views.CommentForm) error {
	page, err := h.ReadingLayout(c, p.Title)
	if err != nil {
		return err
	}
	ctx, viewer := c.Request().Context(), page.Viewer
	read, err := h.readPost(ctx, &p, page)
	if err != nil {
		return err
	}
	site.SetGaps(c, h.gaps(p, read.comments.Items))
	text := site.ShowEmbeds(c, read.text, p.Embeds)
	page.Description = p.Details.Extract(text.Excerpt(descriptionLength))
	page.Canonical, page.CanonicalURL, page.Next = p.Path(), p.Details.CanonicalURL, p.Path()
	page.Article, page.NoIndex = article(h.Info(), p, text, read.author), !p.Listed()
	page.AnnounceFeed(site.UserFeed(ctx, read.author))
	list := read.list
	list.BlockedByAuthor, list.Closed = read.blocked, list.Closed || !p.Open()
	h.reasons.AddTo(ctx, &list)
	var why locale.Message
	if p.Held == domain.HeldByModerator {
		why = h.reasons.Of(ctx, domain.Target{PostID: p.ID})
	}
	done, err := h.moderationDone(c, viewer, p)
	if err != nil {
		return err
	}
	return h.Render(c, status, view.Post(view.PostPage{LayoutData: page, Post: p,
		RenderedPost: views.NewRenderedPost(p.Title, p.Details, text),
		HidingReason: why, Done: done, PinChange: c.QueryParam("pin"),
		Author: read.author, AuthorBio: h.Markdown.Text(read.author.Bio, bioLength),
		Like: view.LikeButton{PostID: p.ID, SignedIn: viewer.ID != "", Liked: read.liked, Count: p.LikeCount,
			BlockedByAuthor: read.blocked},
		Likers:   view.Likers{PostID: p.ID, Count: p.LikeCount},
		Bookmark: view.BookmarkButton{PostID: p.ID, Bookmarked: read.bookmarked},
		Follow:   read.follow,
		Comments: list, Form: form, Related: read.related,
		CommentDeleted: viewer.ID != "" && site.IsDeleted(c)}))
}

// moderationDone returns what the viewer, if a moderator, has just done on this page.
func (h post) moderationDone(c echo.Context, viewer domain.User, p domain.Post) (views.ModerationDone, error) {
	if !viewer.Role.MayModerate() || c.QueryParam("done") == "" {
		return views.ModerationDone{}, nil
	}
	known, err := h.store.Reports.Of(c.Request().Context(), domain.Target{PostID: p.ID})
	return site.ModerationDone(c, viewer, known, p.Path()), err
}

// postParts is what a post's page shows in addition to the post's item, and the rendered text.
type postParts struct {
	text              markdown.Rendered
	comments          domain.ListPage[domain.Comment]
	list              views.CommentList // the comments as the viewer sees them
	liked, bookmarked bool
	follow            views.FollowButton // for the author
	blocked           bool               // the author has blocked the viewer
	author            domain.User        // of a suspended or deleted account: the names and avatar stored with the post
	related           view.RelatedPosts
}

// gaps describes how the page of a post differs between signed-in users. The post's author, the authors of comments and
// moderators see more than the others.
func (h post) gaps(p domain.Post, comments []domain.Comment) site.Gaps {
	p.Content = "" // which the functions would keep in memory
	authors := map[string]bool{p.AuthorID: true}
	for _, c := range comments {
		authors[c.AuthorID] = true
	}
	return site.Gaps{
		Ordinary: func(viewer domain.User) bool { return !viewer.Role.MayModerate() && !authors[viewer.ID] },
		Fill: func(ctx context.Context, viewer domain.User) (map[string]templ.Component, bool, error) {
			blocked, err := h.policy.Blocked(ctx, p.AuthorID, viewer)
			if err != nil || blocked {
				return nil, false, err
			}
			liked, bookmarked, err := h.reactions(ctx, p, viewer.ID)
			if err != nil {
				return nil, false, err
			}
			follow, err := h.follow(ctx, p, viewer)
			return map[string]templ.Component{
				view.FollowBylineGap: views.Follow(follow.At("byline")),
				view.FollowCardGap:   views.Follow(follow.At("card")),
				view.ReactionsGap: view.Reactions(
					view.LikeButton{PostID: p.ID, SignedIn: true, Liked: liked, Count: p.LikeCount},
					view.BookmarkButton{PostID: p.ID, Bookmarked: bookmarked}),
				views.CommentFormGap: views.NewComment(h.CommentFormFor(viewer, p.ID)),
			}, true, err
		},
	}
}

// follow returns the button that follows the author of a post.
func (h post) follow(ctx context.Context, p domain.Post, viewer domain.User) (views.FollowButton, error) {
	b := views.FollowAuthor(p.AuthorName, "byline", p.Path())
	return h.followButton(ctx, b, domain.AuthorSource(p.AuthorID), viewer)
}

// readPost concurrently reads what the page shows in addition to the post, and whether the author is suspended or
// deleted. In that case it sets p.AuthorSuspended, and only moderators see the post, with a note, even before the
// workers have updated it. For a shell, it reads nothing that belongs into the gaps. Meanwhile it renders the texts of
// the post and of the comments.
func (h post) readPost(ctx context.Context, p *domain.Post, page views.LayoutData) (read postParts, err error) {
	viewer, reacting := page.Viewer, page.Viewer
	if page.Shell {
		reacting = domain.User{}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		defer site.Rescue(&err)
		if read.comments, err = h.store.Posts.Comments(groupCtx, p.ID, 1); err == nil {
			read.list, err = h.comments.List(groupCtx, viewer, *p, read.comments)
		}
		return err
	})
	group.Go(func() (err error) {
		read.liked, read.bookmarked, err = h.reactions(groupCtx, *p, reacting.ID)
		return err
	})
	group.Go(func() (err error) {
		read.blocked, err = h.policy.Blocked(groupCtx, p.AuthorID, reacting)
		return err
	})
	group.Go(func() (err error) {
		read.follow, err = h.follow(groupCtx, *p, reacting)
		return err
	})
	group.Go(func() error {
		read.related = h.related(groupCtx, *p)
		return nil
	})
	gone := false
	group.Go(func() (err error) {
		defer site.Rescue(&err)
		if read.author, gone, err = h.finder.Author(groupCtx, *p, viewer); err == nil {
			read.text, err = h.RenderText(groupCtx, *p, cmp.Or(p.Details.Language, read.author.WritingLanguage))
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return read, err
	}
	if gone && !viewer.Role.MayModerate() {
		return read, site.ErrNoPost
	}
	p.AuthorSuspended = p.AuthorSuspended || gone
	read.related.Language, read.related.Series.Language = read.author.WritingLanguage, read.author.WritingLanguage
	return read, nil
}
