package webtest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// ChangeItem changes one stored item directly, for states that no page and no method of the store
// leads to at once, such as a session that is ten days old.
func (d *Database) ChangeItem(container, partition, id string, change func(item map[string]any)) {
	d.T.Helper()
	c, err := d.items.NewContainer(container)
	d.Must(err)
	key := azcosmos.NewPartitionKeyString(partition)
	read, err := c.ReadItem(d.Context(), key, id, nil)
	d.Must(err)
	var item map[string]any
	d.Must(json.Unmarshal(read.Value, &item))
	change(item)
	body, err := json.Marshal(item)
	d.Must(err)
	_, err = c.ReplaceItem(d.Context(), key, id, body, nil)
	d.Must(err)
	d.writes.Add(1)
}

// DeleteItem deletes one stored item directly.
func (d *Database) DeleteItem(container, partition, id string) {
	d.T.Helper()
	c, err := d.items.NewContainer(container)
	d.Must(err)
	_, err = c.DeleteItem(d.Context(), azcosmos.NewPartitionKeyString(partition), id, nil)
	d.Must(err)
}

// Items returns the items of one type in a container, in no particular order.
func (d *Database) Items(container, itemType string) []map[string]any {
	d.T.Helper()
	return d.query(container, "SELECT * FROM c WHERE c.type = @type",
		azcosmos.QueryParameter{Name: "@type", Value: itemType})
}

// LiveItems returns those items that are not deleted.
func (d *Database) LiveItems(container, itemType string) []map[string]any {
	d.T.Helper()
	return slices.DeleteFunc(d.Items(container, itemType),
		func(item map[string]any) bool { return item["deletionDate"] != nil })
}

// query reads items of all partitions of a container.
func (d *Database) query(container, query string, parameters ...azcosmos.QueryParameter) []map[string]any {
	d.T.Helper()
	c, err := d.items.NewContainer(container)
	d.Must(err)
	var all []map[string]any
	pager := c.NewQueryItemsPager(query, azcosmos.NewPartitionKey(),
		&azcosmos.QueryOptions{QueryParameters: parameters})
	for pager.More() {
		page, err := pager.NextPage(d.Context())
		d.Must(err)
		for _, body := range page.Items {
			var item map[string]any
			decoder := json.NewDecoder(bytes.NewReader(body))
			decoder.UseNumber()
			d.Must(decoder.Decode(&item))
			all = append(all, item)
		}
	}
	return all
}

// User reads an account, also a suspended one.
func (d *Database) User(id string) domain.User {
	d.T.Helper()
	u, err := d.Store.Users.Account(d.Context(), id)
	d.Must(err)
	return u
}

// UserNamed reads the user with this username.
func (d *Database) UserNamed(name string) domain.User {
	d.T.Helper()
	u, err := d.Store.Users.ByName(d.Context(), name)
	d.Must(err)
	return u
}

// ChangeUser changes the stored item of a user.
func (d *Database) ChangeUser(id string, change func(item map[string]any)) {
	d.T.Helper()
	d.ChangeItem("users", id, id, change)
}

// Credentials reads the credentials of a user.
func (d *Database) Credentials(userID string) domain.Credentials {
	d.T.Helper()
	c, err := d.Store.Credentials.Get(d.Context(), userID)
	d.Must(err)
	return c
}

// SetCredentials changes the stored credentials of a user and ends no session.
func (d *Database) SetCredentials(userID string, change func(*domain.Credentials)) {
	d.T.Helper()
	c := d.Credentials(userID)
	change(&c)
	d.ChangeItem("users", userID, "credentials", func(item map[string]any) {
		item["passwordHash"], item["email"], item["emailVerified"] = c.PasswordHash, c.Email, c.EmailVerified
		item["passkeys"], item["version"] = c.Passkeys, c.Version+1
	})
}

// ExpireSecrets makes all secrets of a kind expire now. It fails the test if one had more time left
// than most.
func (d *Database) ExpireSecrets(kind domain.SecretKind, most time.Duration) {
	d.T.Helper()
	secrets := d.Items("sessions", string(kind))
	if len(secrets) == 0 {
		d.T.Fatalf("there are no secrets of the kind %s", kind)
	}
	for _, secret := range secrets {
		d.ChangeItem("sessions", secret["userId"].(string), secret["id"].(string), func(item map[string]any) {
			expires, err := time.Parse(time.RFC3339, item["expirationDate"].(string))
			d.Must(err)
			if time.Until(expires) > most {
				d.T.Errorf("a secret of the kind %s lasts longer than %s", kind, most)
			}
			item["expirationDate"] = time.Now().UTC()
		})
	}
}

// Post reads a post in any state, also a deleted one.
func (d *Database) Post(id string) domain.Post {
	d.T.Helper()
	p, err := d.Store.Posts.Latest(d.Context(), id)
	d.Must(err)
	return p
}

// Comments reads all comments on a post, in the order of its page.
func (d *Database) Comments(postID string) []domain.Comment {
	d.T.Helper()
	var all []domain.Comment
	for page := 1; ; page++ {
		list, err := d.Store.Posts.Comments(d.Context(), postID, page)
		d.Must(err)
		if all = append(all, list.Items...); !list.More {
			return all
		}
	}
}

// Versions reads the past versions of a post, the oldest first.
func (d *Database) Versions(postID string) []domain.PostVersion {
	d.T.Helper()
	list, err := d.Store.Posts.Versions(d.Context(), postID, 1)
	d.Must(err)
	slices.Reverse(list.Items)
	return list.Items
}

// Sessions reads all sessions of all users.
func (d *Database) Sessions() []domain.Session {
	d.T.Helper()
	var all []domain.Session
	for _, item := range d.Items("sessions", "session") {
		s, err := d.Store.Sessions.Get(d.Context(), item["userId"].(string), item["id"].(string))
		if domain.Is(err, domain.NotFound) {
			continue // it has expired
		}
		d.Must(err)
		all = append(all, s)
	}
	return all
}

// EndSessions deletes all sessions of all users.
func (d *Database) EndSessions() {
	d.T.Helper()
	for _, item := range d.Items("sessions", "session") {
		d.Must(d.Store.Sessions.Delete(d.Context(), item["userId"].(string), item["id"].(string)))
	}
}

// Settings reads the settings of the site.
func (d *Database) Settings() domain.Settings {
	d.T.Helper()
	s, err := d.Store.Settings.Get(d.Context())
	d.Must(err)
	return s
}

// SetSettings changes the settings of the site.
func (d *Database) SetSettings(s domain.Settings) {
	d.T.Helper()
	s.Version = d.Settings().Version
	_, err := d.Store.Settings.Set(d.Context(), s)
	d.Must(err)
}

// NewestInvitation reads the newest invitation.
func (d *Database) NewestInvitation() domain.Invitation {
	d.T.Helper()
	list, err := d.Store.Invitations.List(d.Context())
	d.Must(err)
	return list[0]
}

// AuditLog reads this month's entries of the audit log, the newest first.
func (d *Database) AuditLog() []domain.AuditEntry {
	d.T.Helper()
	page, err := d.Store.Audit.List(d.Context(), time.Now(), 1)
	d.Must(err)
	return page.Items
}

// Reported reads the reports about a post or comment, and the decision.
func (d *Database) Reported(target domain.Target) domain.Reported {
	d.T.Helper()
	r, err := d.Store.Reports.Of(d.Context(), target)
	d.Must(err)
	return r
}

// ImageRecords reads the records of all pictures, also of those whose upload was interrupted.
func (d *Database) ImageRecords() []map[string]any {
	d.T.Helper()
	return slices.Concat(d.Items("users", "image"), d.Items("users", "avatar"))
}

// StoredFiles reads all stored files by their names.
func (d *Database) StoredFiles() map[string][]byte {
	d.T.Helper()
	found := map[string][]byte{}
	d.Must(filepath.WalkDir(d.filesDir(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		found[entry.Name()], err = os.ReadFile(path)
		return err
	}))
	return found
}

// Dump returns Lines as one text.
func (d *Database) Dump() string { return strings.Join(d.Lines(), "\n") }

// Lines returns all items of all containers as sorted lines. It leaves out etags, times of writing
// and the times at which sessions were last used.
func (d *Database) Lines() []string {
	d.T.Helper()
	var lines []string
	containers := d.items.NewQueryContainersPager("SELECT * FROM c", nil)
	for containers.More() {
		page, err := containers.NextPage(d.Context())
		d.Must(err)
		for _, properties := range page.Containers {
			for _, item := range d.query(properties.ID, "SELECT * FROM c") {
				delete(item, "_etag")
				delete(item, "_ts")
				if item["type"] == "session" {
					delete(item, "lastUse")
				}
				line, err := json.Marshal(item)
				d.Must(err)
				lines = append(lines, properties.ID+" "+string(line))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
