// Advertising data in fragments (Vol 4, Part E, 7.7.65.13).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("AdvertisingReassembler")
struct AdvertisingReassemblerTests {
    /// Fragments are `more`, `end` or `cut` (truncated), of an advertiser given by a number; letters after it mean
    /// advertising set 1 (`s`), the coded PHY (`c`), or a scan response (`r`).
    private struct Machine: ScriptedMachine {
        private var machine = AdvertisingReassembler()
        private var now = NIODeadline.uptimeNanoseconds(0)

        mutating func perform(_ event: String, _ arguments: [String]) -> [String]? {
            switch event {
            case "wait":
                self.now = self.now + .milliseconds(Int64(arguments[0]) ?? 0)
                return []
            case "more", "end", "cut":
                return self.receive(arguments[0], event, octets(arguments.dropFirst())).map { [$0] } ?? []
            // The first fragments of this many advertisers.
            case "flood":
                let numbers = arguments.compactMap { Int($0) }
                return (numbers[0]...numbers[1]).compactMap { self.receive("\($0)", "more", hex("01")) }
            default: return nil
            }
        }

        mutating func next() -> String? { nil }

        private mutating func receive(_ source: String, _ status: String, _ data: ByteBuffer) -> String? {
            var type: LEExtendedAdvertisingReport.EventType = source.contains("r") ? .scanResponse : .connectable
            type.dataStatus = status == "more" ? .incomplete : status == "end" ? .complete : .truncated
            let report = LEExtendedAdvertisingReport(
                eventType: type,
                address: DeviceAddress(UInt64(source.prefix(while: \.isNumber)) ?? 0, kind: .public),
                secondaryPHY: source.contains("c") ? .leCoded : .le2M,
                setIdentifier: source.contains("s") ? 1 : 0,
                rssi: RSSI(rawValue: Int8(data.readableBytesView.last.map { $0 % 100 } ?? 0)),
                data: data
            )
            guard let whole = self.machine.receive(report, now: self.now) else { return nil }
            var kept = report
            (kept.data, kept.address) = (whole.data, whole.address)
            kept.eventType.dataStatus = whole.eventType.dataStatus
            if whole.address == report.address { #expect(whole == kept, "the last fragment counts but for the data") }
            let isWhole = whole.eventType.dataStatus == .complete
            let length = whole.data.readableBytes
            let text = length > 100 ? "\(length) octets" : whole.data.hex
            return "\(whole.address?.value ?? 0)\(isWhole ? "" : " cut") \(text)"
        }
    }

    private static let scripts = TitledScript.all(
        """
        ## passes a complete report on
        end 1 01 02             > 1 01 02

        ## joins fragments to one advertisement with the strength of the last one
        more 1 01 02 ; more 1 03 >
        end 1 04                > 1 01 02 03 04
        end 1 05                > 1 05          # nothing is left for the next one
        more 1 01               >
        end 1                   > 1 01          # a last fragment without data

        ## joins fragments of several advertisers that come in turns
        more 1 01 ; more 2 11 ; more 1 02 >
        end 2 12                > 2 11 12
        end 1 03                > 1 01 02 03

        ## collects advertising sets, PHYs and scan responses apart
        more 1 01 ; more 1s 11 ; more 1c 21 ; more 1r 31 >
        end 1s 12               > 1 11 12
        end 1c 22               > 1 21 22
        end 1r 32               > 1 31 32
        end 1 02                > 1 01 02

        ## reports the data that came of a truncated advertisement
        more 1 01 02            >
        cut 1 03                > 1 cut 01 02 03
        end 1 04                > 1 04

        ## begins anew with a fragment that comes 3 s late, and gives each fragment 3 s anew
        more 1 01 ; wait 3000 ; more 1 11 ; wait 2460 ; more 1 12 ; wait 2999 >
        end 1 13                > 1 11 12 13

        ## takes 1650 octets, and ignores a longer advertisement up to its end
        more 1 AA*1600          >
        end 1 AA*50             > 1 1650 octets
        more 1 AA*1600 ; end 1 AA*51 >
        end 1 01                > 1 01
        more 1 AA*1651 ; more 1 02 ; end 1 03 >
        end 1 01                > 1 01

        ## collects 32 advertisements, and reports the one that waits longest as truncated for another one
        flood 1 32              >
        more 1 02               >               # it goes on, so that 2 waits longest
        more 33 01              > 2 cut 01
        end 1 03                > 1 01 02 03
        end 33 02               > 33 01 02

        ## displaces an advertisement that is too long or late without a report
        more 1 AA*1600 ; more 1 AA*51 ; flood 2 33 >
        wait 3000 ; flood 34 65 >
        more 66 01              > 34 cut 01
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) { Machine.follow(script) }
}
