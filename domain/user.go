package domain

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// Limits of a user's profile and password, in characters.
const (
	MaxBio         = 1000
	MaxBlogTitle   = 80
	MaxLinkLabel   = 40
	MaxLinkAddress = 300
	MinPassword    = 8
	MaxPassword    = 200 // limits the time of hashing
)

// MaxProfileLinks is the number of links that a user's page can have.
const MaxProfileLinks = 5

// Profile is what a user says about themselves and their blog. The zero value is that of a new user.
type Profile struct {
	Bio       string // Markdown, at most MaxBio characters
	BlogTitle string // the title of the user's page and feeds; empty for the user's name
	Links     [MaxProfileLinks]siteinfo.Link
	// WritingLanguage is the language of the user's posts that name none, as a BCP 47 tag. If it is empty, pages detect
	// the language of each text.
	WritingLanguage string
}

// MaxPins is the number of posts that a user can pin to the top of their page.
const MaxPins = 3

// ErrManyPins is the error for a post that is one too many to be pinned.
func ErrManyPins() error {
	return NewError(Conflict, "You have pinned {n} posts already. Unpin one of them first.", "n", MaxPins)
}

// ErrNotOwnPicture is the error for a header that is none of the user's pictures.
func ErrNotOwnPicture() error {
	return FieldError("picture", "Choose one of your pictures. This one was deleted, or isn't yours.")
}

// Pinned returns the ids of the pinned posts, in order.
func (u User) Pinned() (ids []string) {
	for _, id := range u.Pins {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// BlogName returns the title of the user's blog; by default, the user's names.
func (u User) BlogName() string { return cmp.Or(u.BlogTitle, names.Called(u.Username, u.DisplayName)) }

// SetLinks returns the links that are set.
func (p Profile) SetLinks() (links []siteinfo.Link) {
	for _, l := range p.Links {
		if l != (siteinfo.Link{}) {
			links = append(links, l)
		}
	}
	return links
}

// User is the public part of an account. Its credentials are stored separately.
type User struct {
	ID       string
	Username string
	Created  time.Time
	Role     Role
	// DisplayName is the name that is shown beside the username, or empty.
	DisplayName string
	Profile
	Language string // of the interface for this user, as the code of a locale; empty: as the browser asks
	Avatar   string // the name of one of the user's images, or empty
	Header   Cover  // the picture at the top of the user's page, one of the user's own
	// Pins are the ids of the posts at the top of the user's page, in order, followed by empty texts. Posts that are
	// not public any more are not shown.
	Pins [MaxPins]string
	// The number and size of the user's images, including the avatar (see PictureCount), and of the drafts. They count
	// towards ImageQuota, and towards DraftQuota and DraftBytesQuota.
	ImageCount, DraftCount int
	ImageBytes, DraftBytes int64
	// NameVersion counts the user's changes of username, display name and avatar. The copies of these on posts,
	// comments and likes are current up to PropagatedVersion. While it is lower, the users projector has a change to
	// propagate.
	NameVersion       int
	PropagatedVersion int
	// SessionVersion is the lowest version of a session that is still valid: see Session.EndedFor.
	SessionVersion int
	// Trusted reports that a moderator has approved a text of the user. The user's texts are no longer held for
	// review: see package screening.
	Trusted bool
	// Hasty reports that the account was signed up faster than people fill in the form. All of the user's texts are
	// held for review until a moderator trusts the account.
	Hasty bool
	// Active is the last day on which the user was signed in, as far as it is recorded.
	Active ActiveDay
	// Suspended is when a moderator suspended the account, or zero. A suspended user and their texts are hidden from
	// everyone but moderators.
	Suspended    time.Time
	SuspendedFor string // the reason, which the user and moderators can read
	// LastDecision is the last change of the role, or end of a suspension, by a form of the administration.
	LastDecision AccountDecision
	// ScheduledDeletion is when the account will be deleted at the user's request, or zero.
	ScheduledDeletion time.Time
	// DeletionProblem is why the scheduled deletion failed. It is kept until the user has seen it.
	DeletionProblem locale.Stored
	// Notifications is the number of all notifications that the user has received, including expired ones, and
	// NotificationsSeen the number of those that the user has seen.
	Notifications, NotificationsSeen int
	// Following is the number of authors and tags that the user follows. HidesFollows hides the lists of whom the user
	// follows and who follows the user. PrefersFollowing makes the personal feed the user's front page.
	Following                      int
	HidesFollows, PrefersFollowing bool
	// QuietKinds are the kinds of notifications that the user has switched off.
	QuietKinds NotificationKinds
	// MuteCount is the number of people, tags and posts that the user has muted. Without any, nothing reads them.
	MuteCount int
	// FeedSecret is the secret in the address of the user's private feed, or empty: see FeedKey.
	FeedSecret string
	// Sample reports that the account belongs to the sample data.
	Sample bool
	// Unsettled reports that the list of administrators may not reflect the account's current role yet. The users
	// projector updates it.
	Unsettled bool
	// Deleted is when the user deleted the account, or zero. A deleted user is a marker for the workers.
	Deleted time.Time
	// Erased reports that everything that a deleted user wrote has been deleted, and that the usernames are available
	// again.
	Erased bool
}

// UnseenNotifications returns the number of notifications that the user has not seen yet.
func (u User) UnseenNotifications() int { return max(0, u.Notifications-u.NotificationsSeen) }

// Author is the current state of a user, with which the copies of the user's names and avatar are compared.
type Author struct {
	Name        string // the username
	DisplayName string // see User
	Avatar      string // see User
	Deleted     bool   // the account was deleted, so the user's texts must be deleted
	Suspended   bool   // the user's texts must be hidden
}

// NewUser returns the user for a registration. The error names each invalid field.
func NewUser(username string, now time.Time) (User, error) {
	username, err := CleanUsername(username)
	if err == nil {
		err = CheckReserved(username)
	}
	if err != nil {
		return User{}, err
	}
	return User{ID: NewUserID(nil), Username: username, Created: Timestamp(now),
		NameVersion: 1, PropagatedVersion: 1}, nil
}

// CleanProfile validates and normalises a profile. The error names each invalid field: "bio", "blogTitle",
// "writingLanguage", and with the numbers of the links the fields "link1", "link1-address" and so on. The result is
// complete, also with its invalid fields. Links that are set come before empty ones.
func CleanProfile(p Profile) (Profile, error) {
	errs := fieldErrors{}
	p.Bio = strings.TrimSpace(plaintext.Clean(p.Bio))
	if p.Bio != "" {
		errs.addMessage("bio", textProblem(bodyTexts, p.Bio, MaxBio))
	}
	line := func(field string, text *string, most int) {
		if *text = strings.TrimSpace(plaintext.CleanLine(*text)); plaintext.Exceeds(*text, most) {
			errs.add(field, "Use at most {n} characters.", "n", most)
		}
	}
	line("blogTitle", &p.BlogTitle, MaxBlogTitle)
	if code, ok := cleanLanguage(p.WritingLanguage); ok {
		p.WritingLanguage = code
	} else {
		errs.add("writingLanguage", "Enter a language code, such as cs, en, fr, tr or pt-BR.")
	}
	for n := range p.Links {
		l, field := &p.Links[n], fmt.Sprint("link", n+1)
		line(field, &l.Label, MaxLinkLabel)
		l.Address = siteinfo.WithScheme(strings.TrimSpace(l.Address))
		line(field+"-address", &l.Address, MaxLinkAddress)
		switch {
		case l.Label == "" && l.Address != "":
			errs.add(field, "Enter a label for this link.")
		case l.Label != "" && l.Address == "":
			errs.add(field+"-address", "Enter the address of this link.")
		case isHandle(l.Address):
			errs.add(field+"-address", "Enter the address of the profile, such as {example}.", "example",
				"https://example.org/@ada")
		case l.Address != "" && !isProfileAddress(l.Address):
			errs.add(field+"-address", "Enter an email address, or an address that begins with https:// or http://.")
		}
	}
	if len(errs) > 0 {
		return p, errs.err()
	}
	links := p.SetLinks()
	p.Links = [MaxProfileLinks]siteinfo.Link{}
	copy(p.Links[:], links)
	return p, nil
}

// isHandle reports whether a text is the name of a profile on a social network, such as @ada@example.org or @ada.
func isHandle(text string) bool { return strings.HasPrefix(text, "@") }

// isProfileAddress reports whether an address may be a link of a profile: an address on the web or for mail.
func isProfileAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if u.Scheme == "mailto" {
		return siteinfo.IsMailAddress(u.Opaque)
	}
	return u.Scheme != "" && isLinkAddress(address)
}

// PictureCount returns the number of the user's pictures as lists show them: all images except the avatar.
func (u User) PictureCount() int {
	if u.Avatar != "" {
		return max(0, u.ImageCount-1)
	}
	return u.ImageCount
}

// Untrusted reports whether the account is younger than the given age and no moderator trusts it yet.
func (u User) Untrusted(than time.Duration, now time.Time) bool {
	return !u.Trusted && !u.Role.MayModerate() && now.Before(u.Created.Add(than))
}

// CleanUsername normalises a username and checks it as CheckUsername does.
func CleanUsername(s string) (string, error) {
	s = names.NormalUsername(s)
	return s, CheckUsername(s)
}

// CheckUsername returns an Invalid error about the field "username" if s cannot be a username.
// It accepts reserved words: see CheckReserved.
func CheckUsername(s string) error {
	if problem := names.UsernameProblem(s); !problem.IsZero() {
		return FieldMessage("username", problem)
	}
	return nil
}

// CheckReserved returns an Invalid error about the field "username" if a new name is, or looks like, a
// reserved word.
func CheckReserved(username string) error {
	if names.IsReserved(username) {
		return FieldError("username", "The username {name} is reserved. Choose another.", "name", username)
	}
	return nil
}

// ErrUsernameTaken is the error for a username that another account has.
func ErrUsernameTaken(username string) error {
	return FieldError("username", "The username {name} is taken.", "name", username)
}

// ErrUsernameConfusable is the error for a username that looks like that of another account.
func ErrUsernameConfusable(username string) error {
	return FieldError("username",
		"The username {name} looks too similar to another one. Choose another.", "name", username)
}

// MaxFormerNames is the maximum number of former usernames of an account, which stay reserved for it.
const MaxFormerNames = 20

// ErrFormerNames is the error for a new username of an account with too many former ones.
func ErrFormerNames() error {
	return FieldError("username", "Your account has had too many usernames. You can still return to one of them.")
}

// CleanDisplayName validates and normalises a display name. Its error is Invalid, about the field
// "displayName". The name may be empty.
func CleanDisplayName(name string) (string, error) {
	name, problem := names.DisplayName(name)
	if !problem.IsZero() {
		return name, FieldMessage("displayName", problem)
	}
	return name, nil
}
