// Package media stores the files of pictures, in a directory (Disk) or in a container of Azure Blob
// Storage (Blobs). Both fulfil the contract of package mediatest.
//
// The name of a file follows from its content, so a file never changes. Valid names are those of
// domain.ImageName, including OwnerFile, and domain.ImportFile. Errors have the kinds of package
// domain.
package media

import "inkfeed/domain"

// check fails for texts that are not the name of a file, such as paths that lead elsewhere.
func check(name string) error {
	_, shown := domain.ParseImageFile(name)
	_, owner := domain.ParseOwnerFile(name)
	if !shown && !owner && !domain.IsImportFile(name) {
		return errNoFile
	}
	return nil
}

var errNoFile = domain.NewError(domain.NotFound, "There is no such picture.")

// contentType returns the content type of a file by its name.
func contentType(name string) string {
	if domain.IsImportFile(name) {
		return "application/octet-stream"
	}
	n, ok := domain.ParseImageFile(name)
	if !ok {
		return "text/plain"
	}
	return n.ContentType()
}
