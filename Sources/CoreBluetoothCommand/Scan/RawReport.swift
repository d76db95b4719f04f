// One advertising packet as the controller reports it, below Core Bluetooth: address, kind of PDU, PHYs, and the AD
// structures in words and as octets.

import BluetoothHCI
import BluetoothTypes
import CommandLineTool
import Foundation
import NIOCore

/// An advertising packet or a scan response.
struct RawReport {
    var time: Date
    /// The advertiser; `nil` for an anonymous one.
    var address: DeviceAddress?
    /// The kind of PDU (Vol 6, Part B, 2.3).
    var pdu: String
    /// What can be done with an extended advertiser, such as `connectable`.
    var properties: [String] = []
    var primaryPHY = PHY.le1M
    var secondaryPHY: PHY?
    /// The advertising set; `nil` for legacy advertising.
    var set: Int?
    var rssi: Int?
    /// The power of the packet as the controller reports it, in dBm.
    var txPower: Int?
    var data: ByteBuffer
    /// Whether the end of the data is missing.
    var isTruncated = false
    /// The seconds since the last packet of the same kind from the same advertiser.
    var interval: TimeInterval?

    /// A report of legacy scanning.
    init(_ report: LEAdvertisingReport, at time: Date) {
        let pdus: [LEAdvertisingReport.EventType: String] = [
            .connectableUndirected: "ADV_IND", .connectableDirected: "ADV_DIRECT_IND",
            .scannableUndirected: "ADV_SCAN_IND", .nonConnectableUndirected: "ADV_NONCONN_IND",
            .scanResponse: "SCAN_RSP",
        ]
        self.time = time
        address = report.address
        pdu = pdus[report.eventType] ?? "PDU \(report.eventType.rawValue)"
        rssi = report.rssi.map { Int($0.rawValue) }
        data = report.data
    }

    /// A report of extended scanning.
    init(_ report: LEExtendedAdvertisingReport, at time: Date) {
        let type = report.eventType
        self.time = time
        address = report.address
        if type.contains(.legacy) {
            pdu =
                type.contains(.scanResponse)
                ? "SCAN_RSP"
                : type.contains(.connectable)
                    ? type.contains(.directed) ? "ADV_DIRECT_IND" : "ADV_IND"
                    : type.contains(.scannable) ? "ADV_SCAN_IND" : "ADV_NONCONN_IND"
        } else {
            pdu = type.contains(.scanResponse) ? "AUX_SCAN_RSP" : "ADV_EXT_IND"
            let bits: [(LEExtendedAdvertisingReport.EventType, String)] = [
                (.connectable, "connectable"), (.scannable, "scannable"), (.directed, "directed"),
            ]
            properties = bits.filter { type.contains($0.0) }.map(\.1)
        }
        primaryPHY = report.primaryPHY
        secondaryPHY = report.secondaryPHY
        set = report.setIdentifier.map(Int.init)
        rssi = report.rssi.map { Int($0.rawValue) }
        txPower = report.txPower.map { Int($0.rawValue) }
        data = report.data
        isTruncated = type.dataStatus == .truncated
    }

    /// `random static`, `public`; `nil` for an anonymous advertiser.
    var addressType: String? {
        guard let address else { return nil }
        let kind =
            switch address.randomKind {
            case nil: "public"
            case .static: "random static"
            case .resolvablePrivate: "random resolvable"
            case .nonResolvablePrivate: "random non-resolvable"
            case .reserved: "random reserved"
            }
        return address == address.withoutIdentity ? kind : kind + " identity, resolved"
    }

    private var elements: [AdvertisingData.Element] { AdvertisingData(parsing: data).elements }

    // MARK: Output

    /// A line for the packet, and an indented one for each AD structure.
    var line: String {
        var head = [address?.description ?? "(anonymous)"]
        if let addressType { head.append(addressType) }
        head.append(([pdu] + properties).joined(separator: " "))
        head.append(secondaryPHY.map { "\(primaryPHY), \($0)" } ?? primaryPHY.description)
        if let set { head.append("set \(set)") }
        head.append(rssi.map { "\($0) dBm" } ?? "? dBm")
        if let txPower { head.append("sent with \(txPower) dBm") }
        if let milliseconds { head.append("after \(SecondsText.number(milliseconds)) ms") }
        if isTruncated { head.append("(truncated)") }
        let rest = elements.map { "\n  \(AdvertisingElementText.line($0))" }
        return head.joined(separator: "  ") + rest.joined()
    }

    private var milliseconds: Double? { interval.map { ($0 * 10_000).rounded() / 10 } }

    /// The JSON object.
    var object: JSONValue {
        .object([
            ("event", "advertisement"), ("time", Record.time(time)),
            ("address", JSONValue(address?.description)), ("addressType", JSONValue(addressType)),
            ("pdu", .string(pdu)), ("properties", .array(properties.map { .string($0) })),
            ("primaryPHY", .string(primaryPHY.description)), ("secondaryPHY", JSONValue(secondaryPHY?.description)),
            ("set", JSONValue(set)), ("rssi", JSONValue(rssi)), ("txPower", JSONValue(txPower)),
            ("interval", milliseconds.map { .number($0) } ?? .null), ("truncated", .bool(isTruncated)),
            ("hex", .string(HexadecimalText.digits(data.readableBytesView))),
            ("elements", .array(elements.map(AdvertisingElementText.object))),
        ])
    }
}
