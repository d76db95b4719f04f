// What a host in the same process can say of advertising reports beside HCI, which has only a filter by address: that
// it has no use for the same report again.

/// Which advertising reports a host needs.
///
/// A host that coalesces reports has no use for the same report once more; to a crowd of devices that advertise and
/// scan it would cost most of all that they do.
package enum AdvertisingReportNeed: Hashable {
    /// Every one, as HCI has it.
    case all
    /// Those that differ from what was reported before, in the data, the strength or else. Where a scan response is
    /// missing, an advertisement is reported twice. Another number begins anew.
    case changes(Int)
}

/// A channel to a controller that may omit reports that its host does not need.
package protocol ReportOmittingChannel: AnyObject {
    /// Which reports the host needs from now on: all of them from the start.
    func setReportNeed(_ need: AdvertisingReportNeed)
}
