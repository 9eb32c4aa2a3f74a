package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/customcss"
	"inkfeed/domain/locale"
	"inkfeed/domain/palette"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// Registration is the rule for who may create an account.
type Registration string

const (
	RegistrationOpen   Registration = ""           // anyone
	RegistrationByCode Registration = "invitation" // anyone with an invitation code
	RegistrationClosed Registration = "closed"     // sign-up is closed to all
)

// Registrations returns all rules, the most open first.
func Registrations() []Registration {
	return []Registration{RegistrationOpen, RegistrationByCode, RegistrationClosed}
}

// String returns the rule's name, as people type it.
func (r Registration) String() string {
	if r == RegistrationOpen {
		return "open"
	}
	return string(r)
}

// ParseRegistration returns the rule with a name. The error is Invalid, about the field "registration".
func ParseRegistration(name string) (Registration, error) {
	for _, r := range Registrations() {
		if r.String() == name {
			return r, nil
		}
	}
	return "", FieldError("registration", "Choose who can sign up.")
}

// Settings are the site's settings, which administrators change. The zero value is the default.
type Settings struct {
	Registration Registration
	// NewRole is the role of new accounts: reader or author.
	NewRole Role
	// NewDays is the review period of new accounts, in days: during it, texts with links are held for review. 0 means
	// DefaultNewDays, NeverNew means that there is no review.
	NewDays int
	// DoubtInvited reports that the review period applies to invited users too. By default an invitation counts as
	// trust.
	DoubtInvited bool
	// PlainEmbeds reports that the site fetches no titles and thumbnails of embeds.
	PlainEmbeds bool
	// Info is what the site says about itself.
	Info siteinfo.Info
	// Version counts the changes. A change names the version that it began from.
	Version int
}

// Limits of Settings.NewDays.
const (
	DefaultNewDays = 3
	MaxNewDays     = 90
	NeverNew       = -1
)

// ReviewPeriod returns the duration of the review period of new accounts, or 0 if there is none.
func (s Settings) ReviewPeriod() time.Duration {
	switch s.NewDays {
	case 0:
		return DefaultReviewPeriod
	case NeverNew:
		return 0
	}
	return time.Duration(s.NewDays) * 24 * time.Hour
}

// newDaysMessage says which values of Settings.NewDays are valid.
func newDaysMessage() locale.Message {
	return locale.M("Enter a number of days from 0 to {n}.", "n", MaxNewDays)
}

// ParseNewDays parses Settings.NewDays as people type it: a number of days, 0 for no review. The error is Invalid,
// about the field "days".
func ParseNewDays(text string) (int, error) {
	days, err := strconv.Atoi(strings.TrimSpace(text))
	switch {
	case err != nil || days < 0 || days > MaxNewDays:
		return 0, FieldMessage("days", newDaysMessage())
	case days == 0:
		return NeverNew, nil
	}
	return days, nil
}

// Check returns an Invalid error about the fields "role" and "days", and those of CleanInfo, if the settings are not
// valid and normalised.
func (s Settings) Check() error {
	errs := fieldErrors{}
	if s.NewRole != RoleReader && s.NewRole != RoleAuthor {
		errs.add("role", "Choose reader or author.")
	}
	if s.NewDays < NeverNew || s.NewDays > MaxNewDays {
		errs.addMessage("days", newDaysMessage())
	}
	info, err := CleanInfo(s.Info)
	if err == nil && info != s.Info {
		err = FieldError("name", "The texts of the site are not in their normal form.")
	}
	return JoinErrors(errs.err(), err)
}

// Limits of siteinfo.Info, in characters.
const (
	MaxSiteName        = 60
	MaxSiteTagline     = 120
	MaxSiteDescription = 300
	MaxSiteFooter      = 500
	MaxSiteLabel       = 40
	MaxSiteAddress     = 300 // also of the postal address
)

// CleanInfo validates and normalises what a site says about itself. The error names each invalid field: "name",
// "tagline", "description", "accent", "css", "footer", "language", "timeZone", "contact", "postalAddress", "front",
// "frontPage", "logo", "logoDark", "icon" and those of siteinfo.LookFields, and with their numbers the fields
// "link1", "link1-address", "featured1" and so on.
func CleanInfo(i siteinfo.Info) (siteinfo.Info, error) {
	errs := fieldErrors{}
	limit := func(field string, text *string, most int) {
		if *text = strings.TrimSpace(*text); plaintext.Exceeds(*text, most) {
			errs.add(field, "Use at most {n} characters.", "n", most)
		}
	}
	line := func(field string, text *string, most int) {
		*text = plaintext.CleanLine(*text)
		limit(field, text, most)
	}
	line("name", &i.Name, MaxSiteName)
	line("tagline", &i.Tagline, MaxSiteTagline)
	line("description", &i.Description, MaxSiteDescription)
	line("footer", &i.Footer, MaxSiteFooter)
	if i.Contact = strings.TrimSpace(i.Contact); !siteinfo.IsMailAddress(i.Contact) {
		i.Contact = siteinfo.WithScheme(i.Contact)
	}
	line("contact", &i.Contact, MaxSiteAddress)
	i.PostalAddress = plaintext.WithoutDirections(plaintext.Clean(i.PostalAddress))
	limit("postalAddress", &i.PostalAddress, MaxSiteAddress)
	if i.Accent = strings.TrimSpace(i.Accent); i.Accent != "" {
		accent, err := palette.Normalise(i.Accent)
		if err != nil {
			errs.add("accent", "Enter a colour of six digits, such as #1b4b86.")
		} else {
			i.Accent = accent
		}
	}
	var badCSS locale.Message
	i.CSS, badCSS = customcss.Clean(i.CSS)
	errs.addMessage("css", badCSS)
	if i.Language != "" && !slices.ContainsFunc(locale.All(),
		func(l *locale.Language) bool { return l.Code() == i.Language }) {
		errs.add("language", "Choose one of the languages.")
	}
	i.TimeZone = strings.TrimSpace(i.TimeZone)
	if !siteinfo.IsZone(i.TimeZone) {
		errs.add("timeZone", "Enter a time zone such as Europe/Prague or UTC.")
	}
	if i.Contact != "" && !siteinfo.IsMailAddress(i.Contact) && !isLinkAddress(i.Contact) {
		errs.add("contact", "Enter an email address, or an address that begins with https://.")
	}
	if i.FrontUser != "" && !IsUserID(i.FrontUser) {
		errs.add("front", "There is no account with this username.")
	}
	if i.FrontPage != "" && (!IsPageID(i.FrontPage) || i.FrontUser != "") {
		errs.add("frontPage", "Choose either an author or a page, not both.")
	}
	for n, p := range i.Featured {
		if p != (siteinfo.Post{}) && (!IsID(p.PostID) || !IsUserID(p.AuthorID)) {
			errs.add(fmt.Sprint("featured", n+1), "There is no public post at this address.")
		}
	}
	for field, p := range i.Pictures() {
		if !p.Valid() {
			errs.add(field, "Choose the picture again.")
		}
	}
	for f := range siteinfo.LookFields() {
		if _, known := f.Option(f.Of(i.Looks)); !known {
			errs.add(f.Name, "Choose one of the options.")
		}
	}
	for n := range i.Links {
		l, field := &i.Links[n], fmt.Sprint("link", n+1)
		line(field, &l.Label, MaxSiteLabel)
		l.Address = siteinfo.WithScheme(strings.TrimSpace(l.Address))
		line(field+"-address", &l.Address, MaxSiteAddress)
		switch {
		case l.Label == "" && l.Address != "":
			errs.add(field, "Enter a label for this link.")
		case l.Label != "" && l.Address == "":
			errs.add(field+"-address", "Enter the address of this link.")
		case l.Address != "" && !isLinkAddress(l.Address):
			errs.add(field+"-address",
				"Enter a path of this site such as /about, or an address that begins with https:// or mailto:.")
		}
	}
	return i, errs.err()
}

// Limits of invitations.
const (
	MaxInvitations    = 100 // open at the same time
	MaxInvitationUses = 1000
	MaxInvitationDays = 365
	MaxInvitationNote = 200 // characters
)

// Invitation allows a number of people to create an account on a site with restricted registration.
type Invitation struct {
	Code        string // anyone who knows it can sign up
	Created     time.Time
	Expires     time.Time
	CreatorID   string
	CreatorName string
	Note        string // for example whom it is for; may be empty. Only administrators see it
	RoleName    string // the name of the role that it gives, see InvitationRoles; empty: that of all new accounts
	Email       string // the address that it was mailed to, or empty
	Uses        int
	MaxUses     int
}

// InvitationRoles returns the roles that an invitation can give.
func InvitationRoles() []Role { return []Role{RoleReader, RoleAuthor, RoleModerator} }

// Role returns the role that the invitation gives. It reports false if new accounts get the role of all others.
func (i Invitation) Role() (Role, bool) {
	n := slices.IndexFunc(InvitationRoles(), func(r Role) bool { return r.String() == i.RoleName })
	if n < 0 {
		return "", false
	}
	return InvitationRoles()[n], true
}

// With returns the invitation with the name of a role and an address, which may be empty. The error names each invalid
// field: "role", "email".
func (i Invitation) With(role, email string) (Invitation, error) {
	var roleErr, emailErr error
	i.RoleName = role
	if _, ok := i.Role(); !ok && role != "" {
		roleErr = FieldError("role", "Choose one of the options.")
	}
	if strings.TrimSpace(email) != "" {
		i.Email, emailErr = CleanEmail(email)
	}
	return i, JoinErrors(roleErr, emailErr)
}

// Open reports whether the invitation can still be used.
func (i Invitation) Open(now time.Time) bool { return i.Uses < i.MaxUses && now.Before(i.Expires) }

// NewInvitation returns a new invitation. The error names each invalid field: "uses", "days", "note".
func NewInvitation(creator User, uses, days int, note string, now time.Time) (Invitation, error) {
	errs := fieldErrors{}
	if uses < 1 || uses > MaxInvitationUses {
		errs.add("uses", "Enter 1 to {n} people.", "n", MaxInvitationUses)
	}
	if days < 1 || days > MaxInvitationDays {
		errs.add("days", "Enter a number of days from 1 to {n}.", "n", MaxInvitationDays)
	}
	note = strings.TrimSpace(plaintext.CleanLine(note))
	if plaintext.Exceeds(note, MaxInvitationNote) {
		errs.add("note", "Use at most {n} characters for the note.", "n", MaxInvitationNote)
	}
	if err := errs.err(); err != nil {
		return Invitation{}, err
	}
	now = Timestamp(now)
	return Invitation{Code: NewID(), Created: now, Expires: now.AddDate(0, 0, days), CreatorID: creator.ID,
		CreatorName: creator.Username, Note: note, MaxUses: uses}, nil
}

// ErrInvitation is the error for an invalid invitation code, about the field "invitation".
func ErrInvitation() error {
	return FieldError("invitation",
		"This invitation code is invalid, used up or expired. Ask the person who invited you for a new one.")
}

// DefaultReviewPeriod is the default of Settings.ReviewPeriod, and how long the bot check applies to an account. Spam
// usually comes within the first days.
const DefaultReviewPeriod = DefaultNewDays * 24 * time.Hour
