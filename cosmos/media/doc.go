// Package media keeps the files of pictures: in a folder (Disk) or in a container of
// Azure Blob Storage (Blobs). Both keep the contract of package mediatest.
//
// A file's name follows from its content, so that a file never changes: it is there or
// it is not. Names are those of domain.ImageName, OwnerFile among them, and domain.ImportFile; any other is
// of no file. Errors are of the domain's kinds.
package media

import "inkfeed/domain"

// check tells a name of a file from what could lead elsewhere.
func check(name string) error {
	_, shown := domain.ParseImageFile(name)
	_, owner := domain.ParseOwnerFile(name)
	if !shown && !owner && !domain.IsImportFile(name) {
		return errNoFile
	}
	return nil
}

var errNoFile = domain.Errorf(domain.NotFound, "There is no such picture.")

// contentType is what a file of that name is.
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
