// The files of the page in a browser, as they stand beside this one, built into the program: it stays one file.

/// The page's files.
package enum PageFiles {
    /// The page, in HTML; `{{key}}` stands for a text.
    package static var page: [UInt8] { PackageResources.page_html }
    /// Its style sheet.
    package static var style: [UInt8] { PackageResources.page_css }
    /// Its script.
    package static var script: [UInt8] { PackageResources.page_js }
    /// Its icon.
    package static var icon: [UInt8] { PackageResources.icon_svg }
}
