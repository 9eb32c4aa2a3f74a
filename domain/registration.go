package domain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
)

// Registration says who may make an account.
type Registration string

const (
	RegistrationOpen   Registration = "" // everybody
	RegistrationByCode Registration = "invitation"
	RegistrationClosed Registration = "closed"
)

// Registrations lists them, the most open first.
func Registrations() []Registration {
	return []Registration{RegistrationOpen, RegistrationByCode, RegistrationClosed}
}

// String is its name, as people know and type it.
func (r Registration) String() string {
	if r == RegistrationOpen {
		return "open"
	}
	return string(r)
}

// ParseRegistration is the one of that name.
func ParseRegistration(name string) (Registration, error) {
	for _, r := range Registrations() {
		if r.String() == name {
			return r, nil
		}
	}
	return "", FieldError("registration", "Choose who can sign up.")
}

// Settings are what administrators decide about the whole site. The zero value is what
// holds until somebody has.
type Settings struct {
	Registration Registration
	// NewRole is what new accounts begin as: a reader or an author.
	NewRole Role
	// NewDays is for how many days an account is new, and its links wait for a moderator, see
	// Screening. 0: for DefaultNewDays; NeverNew: no links wait.
	NewDays int
	// DoubtInvited lets the links of those wait, too, who came by an invitation. Otherwise
	// whoever invited them has vouched for them.
	DoubtInvited bool
	// Version counts their changes. A change names the version that it began from.
	Version int
}

// Limits of Settings.NewDays.
const (
	DefaultNewDays = 3
	MaxNewDays     = 90
	NeverNew       = -1
)

// NewFor is how long an account is new, 0: none ever is.
func (s Settings) NewFor() time.Duration {
	switch s.NewDays {
	case 0:
		return NewAccountTime
	case NeverNew:
		return 0
	}
	return time.Duration(s.NewDays) * 24 * time.Hour
}

// ParseNewDays reads Settings.NewDays as people type it: a number of days, 0 for none. The
// error is Invalid, about the field "days".
func ParseNewDays(text string) (int, error) {
	days, err := strconv.Atoi(strings.TrimSpace(text))
	switch {
	case err != nil || days < 0 || days > MaxNewDays:
		return 0, FieldError("days", fmt.Sprintf("Enter a number of days from 0 to %d.", MaxNewDays))
	case days == 0:
		return NeverNew, nil
	}
	return days, nil
}

// Check reports, as an Invalid error about the fields "role" and "days", what no site can
// have.
func (s Settings) Check() error {
	errs := fieldErrors{}
	if s.NewRole != RoleReader && s.NewRole != RoleAuthor {
		errs.add("role", "Choose reader or author.")
	}
	if s.NewDays < NeverNew || s.NewDays > MaxNewDays {
		errs.add("days", "This period is too long.")
	}
	return errs.err()
}

// Limits of invitations.
const (
	MaxInvitations    = 100 // at a time
	MaxInvitationUses = 1000
	MaxInvitationDays = 365
	MaxInvitationNote = 200 // characters
)

// Invitation lets a number of people make an account where not everybody may.
type Invitation struct {
	Code        string // who knows it is invited
	Created     time.Time
	Expires     time.Time
	CreatorID   string
	CreatorName string
	Note        string // whom it is for, say; may be empty
	Uses        int
	MaxUses     int
}

// Open tells whether somebody can still come by it.
func (i Invitation) Open(now time.Time) bool { return i.Uses < i.MaxUses && now.Before(i.Expires) }

// NewInvitation makes one. The error names each bad field: "uses", "days", "note".
func NewInvitation(creator User, uses, days int, note string, now time.Time) (Invitation, error) {
	errs := fieldErrors{}
	if uses < 1 || uses > MaxInvitationUses {
		errs.add("uses", fmt.Sprintf("Enter 1 to %d people.", MaxInvitationUses))
	}
	if days < 1 || days > MaxInvitationDays {
		errs.add("days", fmt.Sprintf("Enter a number of days from 1 to %d.", MaxInvitationDays))
	}
	note = strings.TrimSpace(plaintext.CleanLine(note))
	if plaintext.Exceeds(note, MaxInvitationNote) {
		errs.add("note", fmt.Sprintf("Use at most %d characters for the note.", MaxInvitationNote))
	}
	if err := errs.err(); err != nil {
		return Invitation{}, err
	}
	now = Timestamp(now)
	return Invitation{Code: NewID(), Created: now, Expires: now.AddDate(0, 0, days), CreatorID: creator.ID,
		CreatorName: creator.Username, Note: note, MaxUses: uses}, nil
}

// ErrInvitation says that a code invites nobody, about the field "invitation".
func ErrInvitation() error {
	return FieldError("invitation", "This invitation code is invalid, used up or expired. Ask the person who invited you for a new one.")
}

// NewAccountTime is how long an account is new, unless the settings of the site say
// otherwise: spam comes within days, if it comes.
const NewAccountTime = DefaultNewDays * 24 * time.Hour
