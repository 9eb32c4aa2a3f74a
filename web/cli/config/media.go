package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"inkfeed/cosmos/media"
	"inkfeed/web"
)

// BindMedia binds the place of the picture files, for commands that store pictures or run workers, which delete
// them.
func (c *Config) BindMedia() {
	c.Bind(
		Setting{Flag: "media", Variable: "INKFEED_MEDIA", Group: GroupMedia, Parse: Text(&c.media),
			Usage: "store pictures in this `folder`; empty: the folder media in the data folder"},
		Setting{Variable: "INKFEED_BLOB_CONTAINER_URL", Group: GroupMedia, Parse: checkContainerURL,
			Usage: "store pictures in the Azure Blob Storage container at this `address`, with a shared access " +
				"signature, or without one to use the identity of the app or user"},
		Setting{Variable: "INKFEED_BLOB_CONTAINER", Group: GroupMedia, Parse: checkContainer,
			Usage: "store pictures in the Azure Blob Storage container of this `name`"},
		Setting{Variable: "AZURE_STORAGE_CONNECTION_STRING", Group: GroupMedia,
			Parse: func(string) error { return nil },
			Usage: "`connection string` of the account of INKFEED_BLOB_CONTAINER"})
	c.AddCheck(func() error {
		blobs := c.blobs()
		switch {
		case c.media != "" && c.keepsBlobs():
			return errors.New("--media or INKFEED_MEDIA: names a folder, but pictures are in Azure Blob Storage by " +
				"INKFEED_BLOB_CONTAINER_URL or INKFEED_BLOB_CONTAINER: leave out one of them")
		case blobs.ContainerURL != "" && blobs.Container != "":
			return errors.New("INKFEED_BLOB_CONTAINER_URL: set, and INKFEED_BLOB_CONTAINER as well: leave out one of " +
				"them")
		case blobs.Container != "" && blobs.ConnectionString == "":
			return errors.New("AZURE_STORAGE_CONNECTION_STRING: not set, although INKFEED_BLOB_CONTAINER is")
		}
		return nil
	})
}

var blobContainerPattern = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9]){2,62}$`)

func checkContainer(name string) error {
	if name != "" && !blobContainerPattern.MatchString(name) {
		return fmt.Errorf("%q cannot name a container", name)
	}
	return nil
}

// checkContainerURL does not repeat the address, which may contain a secret.
func checkContainerURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return nil
	case err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") == "" ||
		u.Scheme != "https" && !(u.Scheme == "http" && IsLoopback(u.Hostname())):
		return errors.New("not like https://account.blob.core.windows.net/container, with or without " +
			"?sv=VERSION&sig=SIGNATURE")
	case isSigned(u):
		return nil
	case u.Scheme == "http":
		return errors.New("without a signature, its scheme must be https, because a token is sent there")
	case !isStorageAccount(u.Hostname()) && !IsLoopback(u.Hostname()):
		return fmt.Errorf("without a signature, its host must be that of a storage account, such as "+
			"account.blob.core.windows.net, because a token is sent there: %s is none", u.Hostname())
	}
	return nil
}

// isStorageAccount reports whether a host belongs to Azure Blob Storage. See "Storage account overview",
// learn.microsoft.com/azure/storage/common/storage-account-overview, and "Compare Azure Government and global Azure",
// learn.microsoft.com/azure/azure-government/compare-azure-government-global-azure.
func isStorageAccount(host string) bool {
	_, domain, _ := strings.Cut(strings.ToLower(host), ".")
	switch domain {
	case "blob.core.windows.net", "blob.core.usgovcloudapi.net", "blob.core.chinacloudapi.cn":
		return true
	}
	return strings.HasSuffix(domain, ".blob.storage.azure.net")
}

func isSigned(u *url.URL) bool { return u.Query().Get("sig") != "" }

// blobOptions identify the container of the pictures.
type blobOptions struct{ media.BlobOptions }

// needsIdentity reports whether the address of the container has no signature.
func (o blobOptions) needsIdentity() bool {
	u, err := url.Parse(o.ContainerURL)
	return o.ContainerURL != "" && err == nil && !isSigned(u)
}

func (c *Config) blobs() blobOptions {
	o := media.BlobOptions{
		ContainerURL: c.getenv("INKFEED_BLOB_CONTAINER_URL"), Container: c.getenv("INKFEED_BLOB_CONTAINER")}
	if o.Container != "" { // otherwise the variable is for other programs
		o.ConnectionString = c.getenv("AZURE_STORAGE_CONNECTION_STRING")
	}
	return blobOptions{o}
}

func (c *Config) keepsBlobs() bool { return c.blobs().ContainerURL != "" || c.blobs().Container != "" }

// MediaFolder is the default folder of the pictures, within the data folder.
const MediaFolder = "media"

// Files is a storage of picture files.
type Files interface {
	web.Files
	// Prepare creates the folder or container if it is missing, and checks that it can be written to.
	Prepare(ctx context.Context) error
}

// MediaSetting returns the name of the setting that determines the place of the pictures, for error messages.
func (c *Config) MediaSetting() string {
	switch {
	case c.blobs().ContainerURL != "":
		return "INKFEED_BLOB_CONTAINER_URL"
	case c.blobs().Container != "":
		return "INKFEED_BLOB_CONTAINER or AZURE_STORAGE_CONNECTION_STRING"
	}
	return "--media or INKFEED_MEDIA"
}

// mediaPath returns the folder of the pictures. It has no meaning if they are in Azure Blob Storage.
func (c *Config) mediaPath() string { return cmp.Or(c.media, filepath.Join(c.Data, MediaFolder)) }

// OpenFiles returns the storage of picture files. It creates nothing and sends no request: see Files.Prepare.
func (c *Config) OpenFiles() (Files, error) {
	if !c.keepsBlobs() {
		return media.NewDisk(c.mediaPath()), nil
	}
	o := c.blobs()
	if o.needsIdentity() {
		who, err := c.azureIdentity()
		if err != nil {
			return nil, c.ExplainFilesError(err)
		}
		o.Credential = who
	}
	blobs, err := media.NewBlobs(o.BlobOptions)
	if err != nil {
		return nil, c.ExplainFilesError(err)
	}
	return blobs, nil
}

// LogMediaFolder logs that the servers of an account must share the folder of the pictures. It warns if they can be on
// several machines.
func (c *Config) LogMediaFolder(logger *slog.Logger) {
	if c.Embedded() || c.keepsBlobs() {
		return
	}
	level := slog.LevelWarn
	if c.onThisMachine() {
		level = slog.LevelInfo
	}
	logger.Log(context.Background(), level,
		"pictures are stored in a folder of this machine, which all instances on the account must share",
		"folder", c.mediaPath())
}

// KeepsFilesInData reports whether there are pictures in the data folder.
func (c *Config) KeepsFilesInData() bool {
	info, err := os.Stat(filepath.Join(c.Data, MediaFolder))
	return err == nil && info.IsDir() && c.media == "" && !c.keepsBlobs()
}
