package moderation

import (
	"context"
	"net/http"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// Settings stores the settings of the site in one item. It is missing on sites whose administrators never changed them
// and that are older than Begin. Its version is 0 until the first change.
type Settings struct{ c *client.Container }

// NewSettings returns the settings of a database.
func NewSettings(db *client.Database) *Settings {
	return &Settings{c: db.Container(schema.ModerationContainer)}
}

type settingsItem struct {
	ID           string   `json:"id"`
	Type         string   `json:"type"`
	Queue        string   `json:"queue"`
	Registration string   `json:"registration"`
	NewRole      string   `json:"newRole"`
	NewDays      int      `json:"newDays,omitempty"`
	DoubtInvited bool     `json:"doubtInvited,omitempty"`
	PlainEmbeds  bool     `json:"plainEmbeds,omitempty"`
	Site         siteItem `json:"site,omitzero"`
	Version      int      `json:"version"`
	ETag         string   `json:"_etag,omitempty"`
}

// siteItem is what the site says about itself. Its fields are those of siteinfo.Info.
type siteItem struct {
	Name          string                              `json:"name,omitempty"`
	Tagline       string                              `json:"tagline,omitempty"`
	Description   string                              `json:"description,omitempty"`
	Accent        string                              `json:"accent,omitempty"`
	CSS           string                              `json:"css,omitempty"`
	Footer        string                              `json:"footer,omitempty"`
	Links         [siteinfo.MaxLinks]siteinfo.Link    `json:"links,omitzero"`
	Language      string                              `json:"language,omitempty"`
	TimeZone      string                              `json:"timeZone,omitempty"`
	Contact       string                              `json:"contact,omitempty"`
	PostalAddress string                              `json:"postalAddress,omitempty"`
	FrontUser     string                              `json:"frontUser,omitempty"`
	FrontPage     string                              `json:"frontPage,omitempty"`
	Featured      [siteinfo.MaxFeatured]siteinfo.Post `json:"featured,omitzero"`
	Logo          siteinfo.Picture                    `json:"logo,omitzero"`
	LogoDark      siteinfo.Picture                    `json:"logoDark,omitzero"`
	Icon          siteinfo.Picture                    `json:"icon,omitzero"`
	Looks         siteinfo.Looks                      `json:"looks,omitzero"`
	Former        siteinfo.Look                       `json:"former,omitzero"`
}

func settingsItemOf(s domain.Settings) settingsItem {
	return settingsItem{
		ID:           schema.SettingsQueue,
		Type:         schema.TypeSettings,
		Queue:        schema.SettingsQueue,
		Registration: s.Registration.String(),
		NewRole:      s.NewRole.String(),
		NewDays:      s.NewDays,
		DoubtInvited: s.DoubtInvited,
		PlainEmbeds:  s.PlainEmbeds,
		Site:         siteItem(s.Info),
		Version:      s.Version,
	}
}

func (i settingsItem) domain() (s domain.Settings, err error) {
	s.Version, s.NewDays, s.DoubtInvited, s.Info = i.Version, i.NewDays, i.DoubtInvited, siteinfo.Info(i.Site)
	s.PlainEmbeds = i.PlainEmbeds
	if s.Registration, err = domain.ParseRegistration(i.Registration); err != nil {
		return s, err
	}
	s.NewRole, err = domain.ParseRole(i.NewRole)
	return s, err
}

// Get reads the settings with one point read. It returns the defaults if they were never changed.
func (s *Settings) Get(ctx context.Context) (domain.Settings, error) {
	item, err := s.read(client.Reads("settings").In(ctx))
	if err != nil || item.ETag == "" {
		return domain.Settings{}, err
	}
	settings, err := item.domain()
	if err != nil { // only registration depends on the settings
		return domain.Settings{}, &domain.Error{Kind: domain.Internal, Err: err}
	}
	return settings, nil
}

func (s *Settings) read(ctx context.Context) (settingsItem, error) {
	item, err := client.Read[settingsItem](ctx, s.c, schema.SettingsQueue, schema.SettingsQueue)
	if client.Missing(err) {
		return settingsItem{}, nil
	}
	return item, client.Translate(err)
}

// Begin stores the first settings of a new site: the looks of new sites. It changes nothing if there are settings.
func (s *Settings) Begin(ctx context.Context) error {
	ctx = client.Writes("begin-settings").In(ctx)
	look := siteinfo.Look{Looks: siteinfo.NewLooks()}
	item := settingsItemOf(domain.Settings{Info: siteinfo.Info{Looks: look.Looks, Former: look}})
	err := s.c.Create(ctx, schema.SettingsQueue, item)
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	return client.Translate(err)
}

// Set writes settings that were read with Get and then changed, together with new pictures of the site. It returns
// Conflict if another change came first, unless that change stored the same settings. Pictures that the settings no
// longer name expire after a day, because cached pages still show them.
func (s *Settings) Set(ctx context.Context, settings domain.Settings,
	pictures ...domain.SitePicture) (domain.Settings, error) {
	ctx = client.Writes("set-settings").In(ctx)
	if err := settings.Check(); err != nil {
		return domain.Settings{}, err
	}
	stored, err := s.read(ctx)
	if err != nil {
		return domain.Settings{}, err
	}
	before := settings.Version
	settings.Version++
	if stored.Version != before {
		return stored.requireSame(settings)
	}
	retired := retiredPictures(stored.Site, settings.Info)
	err = s.write(ctx, stored, settings, pictures, retired)
	if err != nil && client.FailedBatch(err, http.StatusNotFound) { // a retired picture is missing
		err = s.write(ctx, stored, settings, pictures, nil)
	}
	if !client.FailedAt(err, 0, http.StatusConflict) && !client.FailedAt(err, 0, http.StatusPreconditionFailed) {
		return settings, client.Translate(err)
	}
	if stored, err = s.read(ctx); err != nil {
		return domain.Settings{}, err
	}
	return stored.requireSame(settings)
}

// requireSame returns the settings if exactly they are stored, as after an earlier attempt of the call or a form that
// was sent twice. Otherwise it returns Conflict.
func (i settingsItem) requireSame(settings domain.Settings) (domain.Settings, error) {
	if stored, err := i.domain(); err != nil || stored != settings {
		return domain.Settings{}, errSettingsChanged()
	}
	return settings, nil
}

func errSettingsChanged() error {
	return domain.NewError(domain.Conflict,
		"Another administrator changed the settings meanwhile. Compare, then save again to replace them.")
}
