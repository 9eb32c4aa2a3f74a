package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// administer makes ada the administrator, restricts registration to one invitation, and records both in the audit
// log.
func administer(ctx context.Context, w *world) error {
	if _, err := w.Accounts.SetRole(ctx, w.ada.ID, domain.RoleAdministrator); err != nil {
		return err
	}
	if _, err := w.Store.Settings.Set(ctx, domain.Settings{Registration: domain.RegistrationByCode}); err != nil {
		return err
	}
	invitation, err := domain.NewInvitation(w.ada, 2, 1, "", time.Now())
	if err == nil {
		err = w.Invitations.Create(ctx, invitation)
	}
	if err == nil {
		err = w.Invitations.Use(ctx, invitation.Code, domain.NewUserID(nil))
	}
	if err == nil {
		err = w.Audit.Record(ctx, domain.NewAuditEntry(w.ada, domain.AuditInvite, time.Now()))
	}
	return err
}

// siteLogo is the content of a logo.
var siteLogo = domain.NewSitePicture([]byte("logo"))

// withLogo gives the site of administer a logo.
func withLogo(ctx context.Context, w *world) error {
	if err := administer(ctx, w); err != nil {
		return err
	}
	settings, err := w.Store.Settings.Get(ctx)
	if err == nil {
		settings.Info.Logo = siteinfo.Picture{Hash: siteLogo.Hash, Width: 1, Height: 1}
		_, err = w.Store.Settings.Set(ctx, settings, siteLogo)
	}
	return err
}

func soundRoles() []soundCase {
	return []soundCase{
		{"a site with a logo", withLogo},
		{"a site whose logo was removed", after(withLogo, func(ctx context.Context, w *world) error {
			settings, err := w.Store.Settings.Get(ctx)
			if err == nil {
				settings.Info.Logo = siteinfo.Picture{}
				_, err = w.Store.Settings.Set(ctx, settings)
			}
			return err
		})},
		{"a site with an administrator, settings, an invitation and a log", administer},
		{"one of two administrators, suspended", after(administer, func(ctx context.Context, w *world) error {
			carol, err := domain.NewUser("carol", time.Now())
			if err == nil {
				err = w.Accounts.Create(ctx, carol, "hash")
			}
			if err == nil {
				_, err = w.Accounts.SetRole(ctx, carol.ID, domain.RoleAdministrator)
			}
			if err == nil {
				_, err = w.Accounts.Suspend(ctx, carol.ID, "Away", time.Now())
			}
			if err == nil {
				err = w.Users.MarkPropagated(ctx, carol.ID, carol.NameVersion+1)
			}
			return err
		})},
	}
}

func brokenRoles() []brokenCase {
	inUser := func(path string, value any) worldStep {
		return after(administer, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set(path, value))
		})
	}
	inItem := func(kind, path string, value any) worldStep {
		return after(administer, func(ctx context.Context, w *world) error {
			for queue, kinds := range map[string]string{schema.SettingsQueue: schema.TypeSettings,
				schema.InvitationQueue: schema.TypeInvitation, schema.AuditQueue(time.Now()): schema.TypeAudit} {
				if kinds != kind {
					continue
				}
				rows, err := client.Query[storedItem](ctx, w.Container(schema.ModerationContainer), queue,
					`SELECT * FROM c WHERE c.type = @type`, client.Parameters{"type": kind})
				if err != nil {
					return err
				}
				return w.Container(schema.ModerationContainer).Patch(ctx, queue, rows[0].ID, set(path, value))
			}
			return nil
		})
	}
	return []brokenCase{
		{ruleRoles, "an unknown role", `there is no role "king"`, inUser("/role", "king")},
		{ruleRoles, "a listed user without the role", "who does not administer the site", inUser("/role", "moderator")},
		{ruleRoles, "a listed user who is suspended", "who does not administer the site",
			inUser("/suspensionDate", schema.Instant(time.Now()))},
		{ruleRoles, "an administrator who is not listed", "but is not listed",
			after(administer, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/role", "administrator"))
			})},
		{ruleRoles, "an outdated list of administrators", "is not updated", inUser("/administration", "changed")},
		{ruleIDs, "a list of administrators with another id", "is found as", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": "x", "type": schema.TypeAdministrators, "userId": "x"})
		}},
		{ruleShapes, "an unknown value of a setting", `registration "ajar"`,
			inItem(schema.TypeSettings, "/registration", "ajar")},
		{ruleSitePictures, "a logo that is missing", "is missing or expires",
			after(withLogo, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Delete(ctx, schema.SettingsQueue,
					schema.SitePictureID(siteLogo.Hash))
			})},
		{ruleSitePictures, "a logo that expires", "is missing or expires",
			after(withLogo, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.SettingsQueue,
					schema.SitePictureID(siteLogo.Hash), set("/ttl", 1000))
			})},
		{ruleSitePictures, "a picture that nothing uses", "no setting names it",
			after(withLogo, func(ctx context.Context, w *world) error {
				other := domain.NewSitePicture([]byte("other"))
				return w.Container(schema.ModerationContainer).Create(ctx, schema.SettingsQueue, anyItem{
					"id":   schema.SitePictureID(other.Hash),
					"type": schema.TypeSitePicture, "queue": schema.SettingsQueue, "data": other.Content})
			})},
		{ruleIDs, "a picture with another content", "its content has the hash",
			after(withLogo, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.SettingsQueue,
					schema.SitePictureID(siteLogo.Hash), set("/data", "AAAA"))
			})},
		{ruleInvitations, "more uses than the maximum", "3 of 2", inItem(schema.TypeInvitation, "/uses", 3)},
		{ruleInvitations, "an invitation that does not expire", "does not expire",
			inItem(schema.TypeInvitation, "/ttl", -1)},
		{ruleInvitations, "an invitation for administrators", `it gives the role "administrator"`,
			inItem(schema.TypeInvitation, "/role", "administrator")},
		{ruleAudit, "an entry in the queue of another month", "it belongs to the queue audit-2019-03",
			inItem(schema.TypeAudit, "/creationDate", "2019-03-01T00:00:00.000Z")},
		{ruleAudit, "an entry that does not expire", "does not expire", inItem(schema.TypeAudit, "/ttl", -1)},
	}
}
