package web

import (
	"inkfeed/cosmos"
	"inkfeed/cosmos/deliveries"
	"inkfeed/cosmos/imports"
	"inkfeed/cosmos/notifications"
	"inkfeed/cosmos/subscriptions"
	"inkfeed/domain/importing"
	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
	"inkfeed/web/account"
	"inkfeed/web/comments"
	"inkfeed/web/costs"
	"inkfeed/web/credential"
	"inkfeed/web/exporting"
	"inkfeed/web/following"
	"inkfeed/web/moderation"
	"inkfeed/web/newsletter"
	"inkfeed/web/reading"
	"inkfeed/web/settings"
	"inkfeed/web/site"
	"inkfeed/web/site/events"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/session"
	"inkfeed/web/syndication"
	"inkfeed/web/writing"
)

// Stores are the storage of the site. They are interfaces where the query cache or a test stands in for a store, and
// where a single feature needs the store.
type Stores struct {
	Users            Users
	Usernames        *cosmos.Usernames
	Accounts         *cosmos.Accounts
	AccountRows      moderation.AccountRows
	AccountDeletions *cosmos.AccountDeletions
	Administrators   *cosmos.Administrators
	Profiles         *cosmos.Profiles
	Credentials      settings.Credentials
	EmailAddresses   *cosmos.EmailAddresses
	Blocks           Blocks
	UserCopies       UserCopies
	Notifications    *notifications.Notifications
	Mutes            reading.Mutes
	Posts            Posts
	Drafts           writing.Drafts
	Feed             reading.Feed
	Tags             Tags
	Follows          Follows
	Images           *cosmos.Images
	Export           exporting.Export
	Imports          *imports.ImportJobs
	Sessions         session.Store
	Secrets          credential.Secrets
	Deliveries       *deliveries.Deliveries
	Subscriptions    *subscriptions.Subscriptions
	Redirects        moderation.Redirects // from the former addresses of posts
	Reports          moderation.Reports
	Reviews          moderation.Reviews
	Audit            moderation.Audit
	CommentRows      moderation.CommentRows
	Costs            costs.Measurements
	DeadLetters      costs.DeadLetters
	Deletions        costs.Deletions
	Settings         Settings
	Pages            site.PageList
	Invitations      *cosmos.Invitations
	// Counters count for all instances together. Without them each instance counts for itself.
	Counters ratelimit.Counters `config:"optional"`
	// Importer imports the texts of static pages into these stores.
	Importer importing.Importer
}

// StoresOf returns the stores of an open database. Imported pictures become files with a maker.
func StoresOf(s *cosmos.Store, files importing.Files, maker *picture.Maker) Stores {
	return Stores{Users: s.Users, Usernames: s.Usernames, Accounts: s.Accounts, AccountRows: s.AccountRows,
		AccountDeletions: s.AccountDeletions,
		Administrators:   s.Administrators, Profiles: s.Profiles, Credentials: s.Credentials,
		EmailAddresses: s.EmailAddresses, Blocks: s.Blocks, UserCopies: s.UserCopies, Notifications: s.Notifications,
		Mutes: s.Mutes,
		Posts: s.Posts, Drafts: s.Drafts, Feed: s.Feed, Tags: s.Tags, Follows: s.Follows, Images: s.Images,
		Export: s.Export, Imports: s.ImportJobs, Sessions: s.Sessions, Secrets: s.Secrets, Deliveries: s.Deliveries,
		Subscriptions: s.Subscriptions,
		Redirects:     s.Redirects, Reports: s.Reports, Reviews: s.Reviews, Audit: s.Audit,
		CommentRows: s.CommentRows, Costs: s.Costs,
		DeadLetters: s.DeadLetters, Deletions: s.ScheduledDeletions, Settings: s.Settings, Pages: s.Pages,
		Invitations: s.Invitations, Counters: s.Counters,
		Importer: importing.Importer{Posts: s.Posts, Drafts: s.Drafts, Records: s.Imports, Redirects: s.Redirects,
			Images: s.Images, Files: files, Maker: maker}}
}

// Users is the storage of users that all features need.
type Users interface {
	site.Users
	account.Users
	moderation.Users
	costs.Users
}

// Blocks is the storage of blocks that all features need.
type Blocks interface {
	site.Blocks
	settings.Blocks
}

// UserCopies is the storage of copies in the partitions of users that all features need.
type UserCopies interface {
	reading.UserCopies
	following.UserCopies
	writing.UserCopies
	syndication.UserCopies
}

// Posts is the storage of posts that all features need.
type Posts interface {
	reading.Posts
	comments.Posts
	writing.Posts
	moderation.Posts
	syndication.Posts
}

// Tags is the storage of posts by tag that all features need.
type Tags interface {
	reading.Tags
	following.Tags
}

// Follows is the storage of follows that all features need.
type Follows interface {
	reading.Follows
	following.Follows
}

// Files is the storage of pictures' files that all features need.
type Files interface {
	picture.Files
	exporting.Files
	settings.Files
}

// Search is the index that all features need.
type Search interface {
	reading.Search
	following.Search
	syndication.Search
}

// Settings is the storage of the site's settings and pictures that all features need.
type Settings interface {
	moderation.Settings
	syndication.Pictures
}

// NewComposer returns the composer of mails to subscribers, for a site with a URL. New completes it: see Config.
func NewComposer(s *cosmos.Store, markdown *markdown.Renderer, url string, current site.CurrentSettings,
) *newsletter.Composer {
	return &newsletter.Composer{URL: url, Settings: current, Languages: locale.NewSet(locale.All()...),
		Markdown: markdown, Store: newsletter.Store{Subscriptions: s.Subscriptions, Posts: s.Posts, Users: s.Users,
			UserCopies: s.UserCopies, Notifications: s.Notifications,
			Events: events.Reader{Posts: s.Posts, Users: s.Users, Blocks: s.Blocks, Mutes: s.Mutes, Follows: s.Follows,
				Drafts: s.Drafts, Markdown: markdown}}}
}

// subscribingMail is what the pages of subscriptions need for their mails.
type subscribingMail struct {
	credential.Mailer
	*newsletter.Composer
}
