package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/names"
)

// auditedUser holds the facts about a user that the audit checks at the end.
type auditedUser struct {
	present           bool
	deleted           bool
	suspended         bool
	erased            bool
	expires           bool
	credentials       bool
	email             string    // the id of the user's verified address
	deletion          time.Time // of a deleted user only
	name              string
	displayName       string
	created           time.Time
	activeDay         string
	listed            bool // in the list of accounts
	nameVersion       int
	propagatedVersion int
	sessionVersion    int
	copies            int // the number of the user's copies of posts
	blocks            int // the number of blocked users
	authored          int // posts, comments and likes; counted for deleted users only
	role              string
	scheduledDeletion time.Time // zero if none
	administration    string
	avatar            string
	counted           auditedUsage // as the user item counts them
	images            auditedUsage
	countedDrafts     auditedUsage // as the user item counts them
	drafts            auditedUsage
	avatars           map[string]bool
	header            string
	pictures          map[string]bool // names of pictures other than avatars
	blogTitle         string
	notifications     auditedNotifications
	mutes             auditedMutes
}

func (u *auditedUser) live() bool { return u.present && !u.deleted }

// storedBlog has the properties of a user's blog that the rules are about.
type storedBlog struct {
	BlogTitle string   `json:"blogTitle"`
	Pins      []string `json:"pins"`
	Header    struct {
		Name string `json:"name"`
	} `json:"header"`
}

// auditedName is a reserved username.
type auditedName struct {
	owner   string
	expires bool
}

func (a *audit) user(id string) *auditedUser { return entryOf(a.users, id) }

// entryOf returns the value of a key, which it adds if it is missing.
func entryOf[K comparable, V any](m map[K]*V, key K) *V {
	v := m[key]
	if v == nil {
		v = new(V)
		m[key] = v
	}
	return v
}

func (a *audit) readUsers(ctx context.Context, db *client.Database) error {
	kinds := userKinds()
	return readItems(ctx, a, db, schema.UsersContainer, usersQuery, nil, func(i storedItem) {
		subject := "users item " + i.ID + " of " + i.UserID
		if note, ok := kinds[i.Type]; ok {
			note(a, subject, i)
		} else {
			a.violation(ruleTypes, subject, "type %q", i.Type)
		}
	})
}

func (a *audit) noteUser(subject string, i storedItem) {
	if i.ID != i.UserID {
		a.violation(ruleIDs, subject, "a user's id is that of its partition")
		return
	}
	u := a.user(i.UserID)
	u.deletion = i.DeletionDate.Time()
	u.present, u.deleted, u.erased, u.expires = true, i.deleted(), i.Erased, i.expires()
	u.suspended = i.SuspensionDate != nil
	u.name, u.nameVersion, u.propagatedVersion = i.Username, i.NameVersion, i.PropagatedVersion
	u.displayName, u.sessionVersion = i.DisplayName, i.SessionVersion
	u.created, u.activeDay = time.Time(i.CreationDate), i.ActiveDay
	u.role, u.administration = i.Role, i.Administration
	u.notifications.counted, u.notifications.seen = i.NotificationCount, i.NotificationsSeen
	u.mutes.counted = i.MuteCount
	u.scheduledDeletion = i.LeavingDate.Time()
	a.following[i.UserID] = i.FollowingCount
	u.header, u.blogTitle = i.Header.Name, i.BlogTitle
	if len(i.Pins) > domain.MaxPins || slices.ContainsFunc(i.Pins, func(id string) bool { return !domain.IsID(id) }) {
		a.violation(ruleShapes, subject, "the pinned posts are %q", i.Pins)
	}
	u.avatar, u.counted = i.Avatar, auditedUsage{i.ImageCount, i.ImageBytes}
	u.countedDrafts = auditedUsage{i.DraftCount, i.DraftBytes}
}

func (a *audit) noteCredentials(subject string, i storedItem) {
	if i.ID != schema.CredentialsID {
		a.violation(ruleIDs, subject, "credentials are found as %q", schema.CredentialsID)
		return
	}
	u := a.user(i.UserID)
	u.credentials = true
	if i.EmailVerified {
		u.email = schema.EmailID(i.Email)
	}
	a.checkStays("credentials of "+i.UserID, i)
}

func (a *audit) noteName(subject string, i storedItem) {
	if i.ID != i.UserID || !slices.Contains(names.NameKeys(i.ID), i.ID) {
		a.violation(ruleIDs, subject, "a name's id and partition are its key, %q", names.NameKey(i.ID))
		return
	}
	a.names[i.ID] = auditedName{owner: i.OwnerID, expires: i.expires()}
}

func (a *audit) noteSkeleton(subject string, i storedItem) {
	if want := schema.SkeletonID(i.Skeleton); i.ID != i.UserID || i.ID != want {
		a.violation(ruleIDs, subject, "a skeleton's id and partition are its digest, %q", want)
		return
	}
	a.skeletons[i.Skeleton] = auditedName{owner: i.OwnerID, expires: i.expires()}
}

func (a *audit) checkUsers() {
	namesakes := make(map[string][]string) // users by the first keys of their names
	alike := make(map[string][]string)     // users by the last keys of their names
	for id, u := range a.users {
		subject := "user " + id
		switch {
		case u.live():
			subject += " (" + u.name + ")"
			a.checkLiveUser(subject, id, u)
			first, last := names.FormerNameKey(u.name), names.NameKey(u.name)
			namesakes[first] = append(namesakes[first], id)
			alike[last] = append(alike[last], u.name+" ("+id+")")
		case u.deleted:
			a.checkDeletedUser(subject, u)
		case u.credentials:
			a.violation(ruleOrphans, "credentials of "+id, "there is no such user")
		case u.blocks > 0:
			a.violation(ruleOrphans, fmt.Sprintf("%d blocks by %s", u.blocks, id), "there is no such user")
		case u.notifications.stored > 0:
			a.violation(ruleOrphans, fmt.Sprintf("%d notifications of %s", u.notifications.stored, id),
				"there is no such user")
		case u.mutes.items > 0:
			a.violation(ruleOrphans, "mutes of "+id, "there is no such user")
		case u.images.count > 0 && id != siteOwner: // pictures of static pages
			a.violation(ruleOrphans, fmt.Sprintf("%d pictures of %s", u.images.count, id), "there is no such user")
		}
	}
	for key, ids := range namesakes {
		if len(ids) > 1 {
			slices.Sort(ids)
			a.violation(ruleUniqueNames, "username "+key, "the name belongs to %s", strings.Join(ids, ", "))
		}
	}
	for key, users := range alike {
		if len(users) > 1 && len(namesakes[key]) < len(users) {
			slices.Sort(users)
			a.notes = append(a.notes, Violation{Note, "username " + key,
				strings.Join(users, ", ") + " have equal names now and keep them; consider renaming one"})
		}
	}
}

func (a *audit) checkLiveUser(subject, id string, u *auditedUser) {
	keys := names.NameKeys(u.name)
	name, ok := a.names[keys[0]]
	switch {
	case !ok:
		a.violation(ruleReservedNames, subject, "there is no reservation")
	case name.owner != id:
		a.violation(ruleReservedNames, subject, "the name belongs to %s", name.owner)
	case name.expires:
		a.violation(ruleReservedNames, subject, "the reservation expires")
	}
	for _, key := range keys[1:] {
		a.checkShared(subject, "key "+key, a.names[key])
	}
	a.checkShared(subject, "skeleton", a.skeletons[names.Skeleton(u.name)])
	if !u.credentials {
		a.violation(ruleCredentials, subject, "the user has none")
	}
	if u.propagatedVersion != u.nameVersion {
		a.violation(rulePropagated, subject, "version %d of the name is propagated, it is at %d", u.propagatedVersion,
			u.nameVersion)
	}
	if u.expires {
		a.violation(ruleExpiry, subject, "the user expires")
	}
	a.checkRole(subject, id, u)
	a.checkScheduledDeletion(subject, id, u)
	if a.hasOverviews && !u.listed {
		a.violation(ruleAccountRows, subject, "the account has no row")
	}
	a.checkImages(subject, u)
	if u.countedDrafts != u.drafts {
		a.violation(ruleCounts, subject, "%d drafts of %d bytes are counted, there are %d of %d",
			u.countedDrafts.count, u.countedDrafts.bytes, u.drafts.count, u.drafts.bytes)
	}
	a.checkNotifications(subject, u)
}

// checkShared checks a reservation for a user's name that may belong to another user: see ConfirmName.
func (a *audit) checkShared(subject, what string, found auditedName) {
	switch {
	case found == auditedName{}:
		a.violation(ruleReservedNames, subject, "the %s of the name is not reserved", what)
	case found.expires:
		a.violation(ruleReservedNames, subject, "the reservation of the %s expires", what)
	}
}

// checkDeletedUser checks that only an expiring marker is left of a deleted user. Another rule checks that the
// names are free again.
func (a *audit) checkDeletedUser(subject string, u *auditedUser) {
	if u.credentials {
		a.violation(ruleDeletions, subject, "there are credentials")
	}
	if !u.erased {
		a.violation(ruleDeletions, subject, "the account is not erased yet")
		return
	}
	if !u.expires {
		a.violation(ruleDeletions, subject, "its marker does not expire")
	}
	if u.displayName != "" {
		a.violation(ruleDeletions, subject, "its marker has the display name %s", u.displayName)
	}
	if u.name != "" {
		a.violation(ruleDeletions, subject, "its marker has the username %s", u.name)
	}
	if u.blogTitle != "" || u.header != "" {
		a.violation(ruleDeletions, subject, "its marker has a blog")
	}
	if u.authored > 0 {
		a.violation(ruleDeletions, subject, "%d posts, comments and likes are left", u.authored)
	}
	if u.blocks > 0 {
		a.violation(ruleDeletions, subject, "it still blocks %d users", u.blocks)
	}
	if u.images.count > 0 {
		a.violation(ruleDeletions, subject, "%d pictures are left", u.images.count)
	}
	if u.notifications.stored > 0 {
		a.violation(ruleDeletions, subject, "%d notifications are left", u.notifications.stored)
	}
	if u.mutes.items > 0 {
		a.violation(ruleDeletions, subject, "mutes are left")
	}
	if u.copies > 0 {
		a.violation(ruleDeletions, subject, "%d copies of posts are left", u.copies)
	}
}

// checkNames checks the owners of reserved names. A name that expires is sound: an interrupted sign-up or rename
// releases it by itself.
func (a *audit) checkNames() {
	for key, name := range a.names {
		a.checkNameOwner("username "+key, name)
	}
	for skeleton, name := range a.skeletons {
		a.checkNameOwner("skeleton "+skeleton, name)
	}
}

func (a *audit) checkNameOwner(subject string, name auditedName) {
	owner := a.users[name.owner]
	switch {
	case name.expires:
	case owner == nil || !owner.present:
		a.violation(ruleNameOwners, subject, "there is no user %s", name.owner)
	case owner.deleted:
		a.violation(ruleNameOwners, subject, "the account %s is deleted", name.owner)
	}
}
