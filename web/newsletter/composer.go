// Package newsletter writes the mails that people asked for: new posts, digests, notices about notifications, and
// letters that ask to confirm a subscription.
package newsletter

import (
	"cmp"
	"context"
	"crypto/rand"
	"html"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	"inkfeed/views"
	"inkfeed/views/mails"
	"inkfeed/web/letters"
	"inkfeed/web/site"
)

// Composer writes mails. All fields are required. Its methods return NotFound if there is nothing to send.
type Composer struct {
	Store     Store
	URL       string // the site's address, without a trailing slash
	Settings  site.CurrentSettings
	Languages *locale.Set
	Markdown  *markdown.Renderer
}

// at returns the address of a path, in ASCII.
func (c *Composer) at(path string) string { return site.AbsoluteURL(c.URL, path) }

// errNoMail means that no mail is due.
func errNoMail() error { return &domain.Error{Kind: domain.NotFound} }

// in returns a context for a mail in a language, which is that of the site by default, with dates in a time zone.
func (c *Composer) in(ctx context.Context, language, zone string) context.Context {
	info := c.Settings.Current().Info
	info.TimeZone = cmp.Or(zone, info.TimeZone)
	return siteinfo.With(locale.With(ctx, c.Languages.Choose(language, nil, info.Language)), &info)
}

// frame returns the frame of a mail to the subscriber whose subscriptions have an address.
func (c *Composer) frame(ctx context.Context, subject, manage string) mails.Frame {
	return mails.Frame{Look: mails.NewLook(siteinfo.From(ctx).Accent), Base: c.URL, Subject: subject, Manage: manage}
}

func (c *Composer) manage(to subscription.Subscriber) string { return c.URL + "/mail/" + to.Key() }

// written returns a mail with a body as HTML and as plain text.
func written(ctx context.Context, to, subject string, body templ.Component) (domain.Mail, error) {
	var b strings.Builder
	if err := body.Render(ctx, &b); err != nil {
		return domain.Mail{}, err
	}
	text, err := letters.Text(b.String())
	return domain.Mail{To: to, Subject: subject, Text: text, HTML: b.String()}, err
}

func called(u domain.User) string { return cmp.Or(u.DisplayName, "@"+u.Username) }

// nameOf returns the name and the path of a list that has a post.
func nameOf(ctx context.Context, l subscription.List, s domain.Summary) (name, path string) {
	author := called(s.ShownAuthor())
	switch l.Kind {
	case subscription.ByAuthor:
		return author, names.UserPath(s.AuthorName)
	case subscription.BySeries:
		return locale.T(ctx, "{series} by {author}", "series", s.Details.Series, "author", author),
			views.SeriesPath(s.AuthorName, l.Series)
	case subscription.ByTag:
		for _, tag := range s.Tags.List() {
			if domain.TagKey(tag) == l.Tag {
				return "#" + tag, views.TagPath(l.Tag)
			}
		}
		return "#" + l.Tag, views.TagPath(l.Tag)
	case subscription.Feed:
		return locale.T(ctx, "Your personal feed"), views.FollowedPostsPath
	case subscription.Notices:
		return locale.T(ctx, "Your notifications"), "/notifications"
	}
	return locale.T(ctx, "All posts of {site}", "site", siteinfo.From(ctx).Title()), "/"
}

// Issue is the mail of a post. It is prepared once for all receivers of a language, a list and a date.
type Issue struct {
	composer   *Composer
	post       domain.Post
	summary    domain.Summary
	newsletter subscription.Newsletter
	body       mails.PostMail // what is the same in all languages
	// placeholder stands in prepared mails for the address of the receiver's subscriptions. It is random, so that no
	// text can have it and be told that address.
	placeholder string

	mu       sync.Mutex
	prepared map[variant]domain.Mail
}

type variant struct {
	language, date string
	because        subscription.List
	manage, end    string // the address in its links, and what follows it where it ends a subscription
}

// Post prepares the mail of a listed post.
func (c *Composer) Post(ctx context.Context, postID string) (*Issue, error) {
	post, err := c.Store.Posts.Latest(ctx, postID)
	if err != nil {
		return nil, err
	}
	author, err := c.Store.Users.ByID(ctx, post.AuthorID)
	if err == nil && !post.Listed() {
		err = errNoMail()
	}
	if err != nil {
		return nil, err
	}
	return c.issue(ctx, post, author)
}

// Preview writes the mail of a draft as it will be once it is published, without an address. It is in the language of
// the context.
func (c *Composer) Preview(ctx context.Context, post domain.Post, author domain.User) (domain.Mail, error) {
	i, err := c.issue(ctx, post, author)
	if err != nil {
		return domain.Mail{}, err
	}
	return i.prepare(c.in(ctx, locale.From(ctx).Code(), ""), subscription.Author(author.ID), c.URL+"/settings/mail", "")
}

func (c *Composer) issue(ctx context.Context, p domain.Post, author domain.User) (*Issue, error) {
	newsletter, err := c.Store.Subscriptions.Newsletter(ctx, p.AuthorID)
	if err != nil {
		return nil, err
	}
	address := c.at(p.Path())
	text, about := c.Markdown.In(cmp.Or(p.Details.Language, author.WritingLanguage)).FeedHTML(p.Content, address)
	cover := p.Details.CoverOf(about.Pictures)
	first, _, _ := strings.Cut(text, "</figure>")
	if !cover.Image.Shareable() || p.Details.Cover == "" && !newsletter.Excerpt &&
		!(strings.HasPrefix(text, "<figure>") && strings.Contains(first, cover.Image.Path())) {
		cover = domain.Cover{} // the text shows it, if there is one
	}
	if newsletter.Excerpt {
		text = "<p>" + html.EscapeString(c.Markdown.Text(p.Content, excerptLength)) + "</p>"
	}
	body, cut := letters.Write(letters.Source{HTML: text, Base: c.URL, Cover: cover.Image, Cards: p.Embeds.List()},
		mails.NewLook(c.Settings.Current().Info.Accent))
	return &Issue{composer: c, post: p, newsletter: newsletter, prepared: map[variant]domain.Mail{},
		placeholder: "https://" + rand.Text(),
		summary: domain.Summary{AuthorName: p.AuthorName, AuthorDisplayName: p.AuthorDisplayName, Tags: p.Tags,
			Details: p.Details},
		body: mails.PostMail{Title: p.Title, Subtitle: p.Details.Subtitle, Address: address,
			Author: called(p.ShownAuthor()), AuthorURL: c.at(names.UserPath(p.AuthorName)), Cover: cover, HTML: body,
			Partial: newsletter.Excerpt || cut, Comments: !p.CommentsClosed, Language: about.Language}}, nil
}

// excerptLength is the length of the beginning of a text in a mail, in characters.
const excerptLength = 600

// AuthorID returns the id of the author of the post.
func (i *Issue) AuthorID() string { return i.post.AuthorID }

// Lists returns the lists of the post.
func (i *Issue) Lists() []subscription.List { return subscription.ListsOf(i.post) }

// Mail writes the mail for a subscriber of a list. It is safe for concurrent use.
func (i *Issue) Mail(ctx context.Context, to subscription.Subscriber, address string, because subscription.List) (
	domain.Mail, error) {
	end := "/unsubscribe?list=" + because.Key() + "&post=" + i.post.ID
	mail, err := i.prepare(i.composer.in(ctx, to.Language, to.Zone), because, i.placeholder, end)
	if err != nil {
		return domain.Mail{}, err
	}
	manage := i.composer.manage(to)
	mail.To, mail.Text = address, strings.ReplaceAll(mail.Text, i.placeholder, manage)
	mail.HTML = strings.ReplaceAll(mail.HTML, i.placeholder, manage)
	bulk := *mail.Bulk
	bulk.Subscriber, bulk.Unsubscribe = to.ID, manage+end
	mail.Bulk = &bulk
	return mail, nil
}

// prepare returns the mail without its receiver, whose subscriptions have the address manage. With end behind it, it is
// the address that ends one of them.
func (i *Issue) prepare(ctx context.Context, because subscription.List, manage, end string) (domain.Mail, error) {
	v := variant{locale.From(ctx).Code(), views.FormatDate(ctx, i.post.Created), because, manage, end}
	i.mu.Lock()
	defer i.mu.Unlock()
	if mail, ok := i.prepared[v]; ok {
		return mail, nil
	}
	list, path := nameOf(ctx, because, i.summary)
	name := siteinfo.From(ctx).Title()
	body := i.body
	body.Date, body.Frame = v.date, i.composer.frame(ctx, i.post.Title, manage)
	body.Why = locale.T(ctx, "You get this because you subscribed to {list} at {site}.", "list", list, "site", name)
	if end != "" {
		body.Unsubscribe = manage + end
	}
	mail, err := written(ctx, "", i.post.Title, mails.Post(body))
	if err != nil {
		return domain.Mail{}, err
	}
	mail.FromName = locale.T(ctx, "{author} via {site}", "author", called(i.post.ShownAuthor()), "site", name)
	mail.ReplyTo = i.newsletter.ReplyTo
	mail.Bulk = &domain.BulkHeaders{ListID: because.Key(), ListName: list, Archive: i.composer.at(path),
		PostID: i.post.ID}
	i.prepared[v] = mail
	return mail, nil
}
