// Lets a host in the same process decline repeated advertising reports. HCI itself has only a filter by address.

/// The advertising reports that a host needs.
///
/// A host that coalesces reports does not need repeated ones, which would be most of the work of a crowd of devices
/// that advertise and scan.
package enum AdvertisingReportNeed: Hashable {
    /// All of them, as in HCI.
    case all
    /// Those that differ from the previous report in any parameter, such as data or signal strength. An advertisement
    /// without its scan response is reported twice. A different number starts over.
    case changes(Int)
}

/// A channel to a controller that may omit reports that its host does not need.
package protocol ReportOmittingChannel: AnyObject {
    /// Sets the reports that the host needs from now on; initially all of them.
    func setReportNeed(_ need: AdvertisingReportNeed)
}
