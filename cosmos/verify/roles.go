package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// noteAdministrators records and checks the list of administrators.
func (a *audit) noteAdministrators(subject string, i storedItem) {
	if i.ID != schema.AdministratorsID || i.UserID != schema.AdministratorsID {
		a.violation(ruleIDs, subject, "the list of administrators is found as %q", schema.AdministratorsID)
		return
	}
	a.checkStays(subject, i)
	for _, one := range i.Administrators {
		if a.administrators[one.UserID] {
			a.violation(ruleRoles, subject, "it names %s twice", one.UserID)
		}
		a.administrators[one.UserID] = true
	}
}

// checkRole checks a user's role. It runs after the list of administrators was read.
func (a *audit) checkRole(subject, id string, u *auditedUser) {
	if !slices.Contains(domain.Roles(), domain.Role(u.role)) {
		a.violation(ruleRoles, subject, "there is no role %q", u.role)
	}
	if u.administration != "" {
		a.violation(ruleRoles, subject, "the list of administrators is not updated: %s", u.administration)
	}
	administers := domain.Role(u.role).MayAdminister() && !u.suspended
	if administers && !a.administrators[id] {
		a.violation(ruleRoles, subject, "it administers the site, but is not listed")
	}
}

// checkAdministrators checks that each user in the list administers the site.
func (a *audit) checkAdministrators() {
	for id := range a.administrators {
		if u := a.users[id]; u == nil || !u.live() || u.suspended || !domain.Role(u.role).MayAdminister() {
			a.violation(ruleRoles, "users item "+schema.AdministratorsID,
				"it names %s, who does not administer the site", id)
		}
	}
}

func (a *audit) noteSettings(subject string, i storedItem) {
	if i.ID != schema.SettingsQueue || i.Queue != schema.SettingsQueue {
		a.violation(ruleIDs, subject, "settings are found as %q in the queue of that name", schema.SettingsQueue)
	}
	a.checkStays(subject, i)
	a.logos = i.Site.PictureHashes()
	registration, err := domain.ParseRegistration(i.Registration)
	role, roleErr := domain.ParseRole(i.NewRole)
	settings := domain.Settings{Registration: registration, NewRole: role, NewDays: i.NewDays, Info: i.Site}
	if err != nil || roleErr != nil {
		a.violation(ruleShapes, subject, "registration %q, new accounts %q", i.Registration, i.NewRole)
	} else if err := settings.Check(); err != nil {
		a.violation(ruleShapes, subject, "%v", err)
	}
}

// noteSitePicture checks a picture of the site, and records whether it expires.
func (a *audit) noteSitePicture(subject string, i storedItem) {
	sum := sha256.Sum256(i.Data)
	hash := hex.EncodeToString(sum[:16])
	if i.Queue != schema.SettingsQueue || i.ID != "picture."+hash {
		a.violation(ruleIDs, subject, "its content has the hash %s", hash)
		return
	}
	a.sitePictures[hash] = i.expires()
}

// checkSitePictures checks that the logo and the icon of the settings are stored, and that other pictures expire. It
// runs after the settings and all pictures were read.
func (a *audit) checkSitePictures() {
	used := map[string]bool{}
	for _, hash := range a.logos {
		used[hash] = true
		if expires, found := a.sitePictures[hash]; !found || expires {
			a.violation(ruleSitePictures, "the site's settings", "their picture %s is missing or expires", hash)
		}
	}
	for hash, expires := range a.sitePictures {
		if !used[hash] && !expires {
			a.violation(ruleSitePictures, "picture "+hash+" of the site", "no setting names it, and it does not expire")
		}
	}
}

func (a *audit) noteInvitation(subject string, i storedItem) {
	if !domain.IsID(i.ID) || i.Queue != schema.InvitationQueue {
		a.violation(ruleIDs, subject, "an invitation is found by its code in the queue %q", schema.InvitationQueue)
	}
	if i.MaxUses < 1 || i.Uses < 0 || i.Uses > i.MaxUses {
		a.violation(ruleInvitations, subject, "%d of %d uses", i.Uses, i.MaxUses)
	}
	if !i.expires() {
		a.violation(ruleInvitations, subject, "it does not expire")
	}
	if i.Role != "" && i.Role != "reader" && i.Role != "author" && i.Role != "moderator" {
		a.violation(ruleInvitations, subject, "it gives the role %q", i.Role)
	}
	if u := a.users[i.CreatorID]; u != nil && u.erased {
		a.violation(ruleDeletions, "user "+i.CreatorID, "an invitation of the user is left")
	}
}

func (a *audit) noteInvitationUse(subject string, i storedItem) {
	if !i.expires() {
		a.violation(ruleInvitations, subject, "it does not expire")
	}
}

func (a *audit) noteAudit(subject string, i storedItem) {
	if queue := schema.AuditQueue(time.Time(i.CreationDate)); i.Queue != queue {
		a.violation(ruleAudit, subject, "it belongs to the queue %s", queue)
	}
	if !i.expires() {
		a.violation(ruleAudit, subject, "it does not expire")
	}
}
