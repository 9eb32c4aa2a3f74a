package site

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/embed"
	"inkfeed/domain/markdown"
	"inkfeed/views"
)

// RenderText renders the text of a post in a language. If it is empty, the language is detected.
func (s *Site) RenderText(ctx context.Context, p domain.Post, language string) (markdown.Rendered, error) {
	usernames, err := s.Usernames(ctx, p.Mentions)
	if err != nil {
		return markdown.Rendered{}, err
	}
	return withTableBoxes(s.Markdown.In(language).Mentioning(p.Mentions, usernames).Post(p.Content)), nil
}

// Mentions looks up the users whom a text mentions that is being written. Each name costs up to three point reads.
func (s *Site) Mentions(ctx context.Context, text string) (domain.Mentions, error) {
	mentions, _, err := domain.ResolveMentions(ctx, s.Markdown.Mentioned(text), s.Users.ByName)
	return mentions, err
}

// maxMentionedUsers is the maximum number of users whose mentions on one page are links. Further ones are text. They
// are read mentionedAtOnce at a time.
const (
	maxMentionedUsers = 100
	mentionedAtOnce   = 8
)

// Usernames returns the present usernames of the users whom texts mention, by their ids. It leaves out suspended and
// deleted accounts. Each user costs a point read, if the cache does not have them.
func (s *Site) Usernames(ctx context.Context, texts ...domain.Mentions) (map[string]string, error) {
	var ids []string
	for _, mentions := range texts {
		for _, m := range mentions.List() {
			if !slices.Contains(ids, m.UserID) && len(ids) < maxMentionedUsers {
				ids = append(ids, m.UserID)
			}
		}
	}
	users := make([]domain.User, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(mentionedAtOnce)
	for i, id := range ids {
		group.Go(func() (err error) {
			if users[i], err = s.Users.ByID(ctx, id); domain.Is(err, domain.NotFound) {
				return nil
			}
			return err
		})
	}
	err := group.Wait()
	usernames := make(map[string]string, len(ids))
	for _, u := range users {
		usernames[u.ID] = u.Username
	}
	return usernames, err
}

// ShowEmbeds adds to a rendered text what was fetched about its embeds. The answer allows their frames.
func ShowEmbeds(c echo.Context, text markdown.Rendered, fetched embed.Cards) markdown.Rendered {
	cards, hosts := fetched.List(), ""
	for i, e := range text.Embeds {
		text.Embeds[i] = e.With(cards)
		if host := text.Embeds[i].Host(); host != "" && !strings.Contains(hosts+" ", " https://"+host+" ") {
			hosts += " https://" + host
		}
	}
	if text.Framed = hosts != ""; text.Framed {
		c.Response().Header().Set("Content-Security-Policy", contentSecurityPolicy+"; frame-src"+hosts)
	}
	return text
}

func withTableBoxes(r markdown.Rendered) markdown.Rendered {
	r.HTML = TableBoxes.Replace(r.HTML)
	return r
}

// Preview renders an author's draft as its readers will see it, with its mentions. It waits for a free slot, and fails
// with TooLarge if the text is too long to publish.
func (s *Site) Preview(ctx context.Context, author domain.User, d domain.Draft) (views.RenderedPost, error) {
	release, err := s.previewSlot(ctx, d.Content)
	if err != nil {
		return views.RenderedPost{}, err
	}
	defer release()
	details, _ := d.Details.Clean() // the form says what is invalid
	language := cmp.Or(details.Language, author.WritingLanguage)
	mentions, usernames, err := domain.ResolveMentions(ctx, s.Markdown.Mentioned(d.Content), s.Users.ByName)
	if err != nil {
		return views.RenderedPost{}, err
	}
	text := withTableBoxes(s.Markdown.In(language).Mentioning(mentions, usernames).Preview(d.Content))
	return views.NewRenderedPost(strings.TrimSpace(d.Title), details, text), nil
}

// PreviewSummary returns the summary of a post that is being written. It waits and fails as Preview does.
func (s *Site) PreviewSummary(ctx context.Context, p domain.Post) (domain.Summary, error) {
	release, err := s.previewSlot(ctx, p.Content)
	if err != nil {
		return domain.Summary{}, err
	}
	defer release()
	return s.Markdown.Summarize(p), nil
}

// previewSlot waits for a slot to preview a text in.
func (s *Site) previewSlot(ctx context.Context, text string) (release func(), err error) {
	if domain.StoredBytes(text) > domain.MaxContent {
		return nil, domain.NewError(domain.TooLarge,
			"This text is too long to preview or publish. Shorten it and try again.")
	}
	return s.PreviewSlots.Acquire(ctx)
}

// TableBoxes wraps tables in boxes that scroll and can be reached with the keyboard, so that wide
// tables do not widen the page. The table itself cannot be the box: screen readers would no longer
// see a table. The box has the table's text direction. Replacing text is safe here, because
// sanitised HTML escapes a typed "<".
var TableBoxes = strings.NewReplacer(
	`<table dir="auto">`, tableBox("auto"), `<table dir="ltr">`, tableBox("ltr"), `<table dir="rtl">`, tableBox("rtl"),
	"</table>", "</table></div>")

func tableBox(direction string) string {
	return `<div class="scroll" dir="` + direction + `" role="group" aria-label="Table" tabindex="0"><table>`
}
