import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: writing")
struct GATTWritingTests {
    private static let refusals =
        TitledScript.refusals(
            "write 0007 01",
            "12 07 00 01",
            [
                ("GATT/CL/GAW/BI-02-C invalid handle", 0x01), ("GATT/CL/GAW/BI-03-C write not permitted", 0x03),
                ("GATT/CL/GAW/BI-04-C insufficient authorization", 0x08),
                ("GATT/CL/GAW/BI-05-C insufficient authentication", 0x05),
                ("GATT/CL/GAW/BI-06-C encryption key size too short", 0x0C),
                ("GATT/CL/GAW/BI-33-C invalid value length", 0x0D), ("application error", 0x9F),
            ]
        )
        // Nothing was prepared, so nothing is cancelled.
        + TitledScript.refusals(
            "write 0007 00..27",
            "16 07 00 00 00 00..11",
            [
                ("GATT/CL/GAW/BI-07-C long write: invalid handle", 0x01),
                ("GATT/CL/GAW/BI-08-C long write: write not permitted", 0x03),
                ("GATT/CL/GAW/BI-11-C long write: insufficient authorization", 0x08),
                ("GATT/CL/GAW/BI-12-C long write: insufficient authentication", 0x05),
                ("GATT/CL/GAW/BI-13-C long write: encryption key size too short", 0x0C),
                ("long write: prepare queue full", 0x09),
            ]
        )

    private static let scripts = TitledScript.all(
        """
        ## GATT/CL/GAW/BV-03-C Write a characteristic value
        write 0007 01 02 03 > 12 07 00 01 02 03 < 13 = done
        write 0007 > 12 07 00 < 13 = done
        write 0007 00..13 > 12 07 00 00..13 < 13 = done
        mtu 515
        write 0007 00*512 > 12 07 00 00*512 < 13 = done

        ## GATT/CL/GAW/BV-05-C Write a long characteristic value
        write 0007 00..27
        > 16 07 00 00 00 00..11 < 17 07 00 00 00 00..11
        > 16 07 00 12 00 12..23 < 17 07 00 12 00 12..23
        > 16 07 00 24 00 24..27 < 17 07 00 24 00 24..27
        > 18 01 < 19
        = done

        ## sends no value that no attribute can hold
        write 0007 00*513 = error 0D 0007
        writeReliably 0003 00 ; 0007 00*513 = error 0D 0007

        ## GATT/CL/GAW/BI-09-C A long write that is refused later cancels what was prepared: invalid offset
        write 0007 00..27
        > 16 07 00 00 00 00..11 < 17 07 00 00 00 00..11
        > 16 07 00 12 00 12..23 < 01 16 07 00 07
        > 18 00 < 19
        = error 07 0007
        write 0007 00..27
        > 16 07 00 00 00 00..11 < 17 07 00 00 00 00..11
        > 16 07 00 12 00 12..23 < 01 16 07 00 09
        > 18 00 < 01 18 00 00 0E              # however the cancellation ends, the first reason counts
        = error 09 0007
        write 0007 00..27
        > 16 07 00 00 00 00..11 < 17 07 00 00 00 00..11
        > 16 07 00 12 00 12..23 < 01 16 07 00 09
        > 18 00 < 0B
        = error 09 0007

        ## GATT/CL/GAW/BI-34-C A long write that is refused when it is executed: invalid value length
        write 0007 00..14
        > 16 07 00 00 00 00..11 < 17 07 00 00 00 00..11
        > 16 07 00 12 00 12..14 < 17 07 00 12 00 12..14
        > 18 01 < 01 18 07 00 0D
        = error 0D 0007

        ## GATT/CL/GAW/BV-06-C Reliable writes of several values
        writeReliably 0007 01 02 ; 0009 00..13 ; 000B
        > 16 07 00 00 00 01 02 < 17 07 00 00 00 01 02
        > 16 09 00 00 00 00..11 < 17 09 00 00 00 00..11
        > 16 09 00 12 00 12 13 < 17 09 00 12 00 12 13
        > 16 0B 00 00 00 < 17 0B 00 00 00
        > 18 01 < 19
        = done
        writeReliably = done
        writeReliably 0007 01 ; 0007 02
        > 16 07 00 00 00 01 < 17 07 00 00 00 01
        > 16 07 00 00 00 02 < 01 16 07 00 09
        > 18 00 < 19
        = error 09 0007

        ## GATT/CL/GAW/BI-37-C A long write whose piece comes back altered is cancelled
        write 0007 00..27
        > 16 07 00 00 00 00..11 < 17 07 00 00 00 00..11
        > 16 07 00 12 00 12..23 < 17 07 00 12 00 13..24
        > 18 00 < 19
        = altered

        ## GATT/CL/GAW/BV-08-C Write a characteristic descriptor
        write 0008 01 00 > 12 08 00 01 00 < 13 = done

        ## GATT/CL/GAW/BV-09-C Write a long characteristic descriptor
        write 0008 00..14
        > 16 08 00 00 00 00..11 < 17 08 00 00 00 00..11
        > 16 08 00 12 00 12..14 < 17 08 00 12 00 12..14
        > 18 01 < 19
        = done

        ## writes a known Client Characteristic Configuration at once
        indicate 0004 > 12 04 00 02 00 < 13 = done
        unsubscribe 0004 > 12 04 00 00 00 < 01 12 04 00 05 = error 05 0004
        notify 0004 > 12 04 00 01 00 < 13 00 = malformed

        ## discovers an unknown Client Characteristic Configuration first
        notify
        > 04 04 00 05 00 < 05 01 04 00 01 29 05 00 02 29
        > 12 05 00 01 00 < 13
        = 2901 0004, 2902 0005
        notify > 04 04 00 05 00 < 01 04 04 00 0A = error 0A 0003  # not found, as for the value
        notify > 04 04 00 05 00 < 01 04 04 00 0E = error 0E 0004
        notify > 04 04 00 05 00 < 05 07 04 00 = malformed
        """
    )

    @Test(
        "follows the script, and ends a write that is refused with its error",
        arguments: Self.scripts + Self.refusals
    )
    func script(_ script: TitledScript) { script.runOnClient() }

    @Test("GATT/CL/GAW/BV-01-C Write without response")
    func gawBV01() {
        var script = ClientScript()
        script.writeCommand(0x0007, hex("01 02 03"))
        script.play("> 52 07 00 01 02 03")
        #expect(script.reported == [])
        #expect(script.deadline == nil)
        // One that is too long is cut to the MTU, and an empty one is one, too.
        script.writeCommand(0x0007, octets(30))
        script.writeCommand(0x0007, ByteBuffer())
        script.play("> 52 07 00 00..13 \n > 52 07 00")
    }

    @Test("GATT/CL/GAW/BV-10-C One long write after the other")
    func gawBV10() {
        let lines = """
            > 16 07 00 00 00 00..11
            < 17 07 00 00 00 00..11
            > 16 07 00 12 00 12..23
            < 17 07 00 12 00 12..23
            > 18 01
            < 19

            """
        var script = ClientScript()
        let first = script.start(.write(0x0007, octets(36)))
        let second = script.start(.write(0x0007, octets(36)))
        script.play(lines + lines)
        #expect(script.reported == [.complete(first, .success(.done)), .complete(second, .success(.done))])
    }

    @Test(
        "GATT/CL/GAW/BI-32-C A prepared value that comes back altered is cancelled",
        arguments: [
            "17 07 00 00 00 01 03", "17 07 00 00 00 01", "17 07 00 00 00 01 02 03", "17 09 00 00 00 01 02",
            "17 07 00 01 00 01 02", "17 07 00 00 00",
        ]
    )
    func gawBI32(echo: String) {
        #expect(
            ClientScript.run(
                .writeReliably([.init(handle: 0x0007, value: hex("01 02")), .init(handle: 0x0009, value: hex("03"))]),
                "> 16 07 00 00 00 01 02 \n < \(echo) \n > 18 00 \n < 19"
            ) == .failure(.reliableWriteMismatch)
        )
    }
}
