SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public."Allowance" (
    "Name" text NOT NULL COLLATE pg_catalog."C",
    "Used" bigint NOT NULL,
    "Ends" timestamp with time zone NOT NULL
);
CREATE SEQUENCE public."Arrival"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public."Campaign" (
    "Workspace" integer NOT NULL,
    "CampaignID" text NOT NULL COLLATE pg_catalog."C",
    "CampaignName" text NOT NULL COLLATE pg_catalog."C",
    "Status" text COLLATE pg_catalog."C",
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL
);
CREATE TABLE public."Case" (
    "Workspace" integer NOT NULL,
    "CaseID" text NOT NULL COLLATE pg_catalog."C",
    "Subject" text NOT NULL COLLATE pg_catalog."C",
    "Description" text NOT NULL COLLATE pg_catalog."C",
    "Status" text COLLATE pg_catalog."C",
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL,
    "CommentsTotal" integer DEFAULT 0 NOT NULL
);
CREATE TABLE public."Chain" (
    "Workspace" integer NOT NULL,
    "Number" double precision DEFAULT 0 NOT NULL,
    "Seal" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "HeadNumber" double precision DEFAULT 0 NOT NULL,
    "HeadSeal" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."Change" (
    "Workspace" integer NOT NULL,
    "ChangeID" text NOT NULL COLLATE pg_catalog."C",
    "At" text NOT NULL COLLATE pg_catalog."C",
    "Number" double precision,
    "UserID" text NOT NULL COLLATE pg_catalog."C",
    "KeyID" text COLLATE pg_catalog."C",
    "Transport" text NOT NULL COLLATE pg_catalog."C",
    "Operation" text NOT NULL COLLATE pg_catalog."C",
    "RecordType" text NOT NULL COLLATE pg_catalog."C",
    "RecordID" text COLLATE pg_catalog."C",
    "Before" text COLLATE pg_catalog."C",
    "After" text COLLATE pg_catalog."C",
    "RequestID" text COLLATE pg_catalog."C",
    "Outcome" text NOT NULL COLLATE pg_catalog."C",
    "EventType" text COLLATE pg_catalog."C",
    "IdempotencyKey" text COLLATE pg_catalog."C",
    "OwnerID" text COLLATE pg_catalog."C",
    "Salt" text COLLATE pg_catalog."C",
    "BeforeDigest" text COLLATE pg_catalog."C",
    "AfterDigest" text COLLATE pg_catalog."C",
    "Seal" text COLLATE pg_catalog."C",
    "Arrived" bigint DEFAULT nextval('public."Arrival"'::regclass) NOT NULL,
    "Count" double precision
);
CREATE TABLE public."Comment" (
    "Workspace" integer NOT NULL,
    "CommentID" text NOT NULL COLLATE pg_catalog."C",
    "CaseID" text NOT NULL COLLATE pg_catalog."C",
    "Comment" text NOT NULL COLLATE pg_catalog."C",
    "Publish" integer NOT NULL,
    "AuthorID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."CustomObject" (
    "Workspace" integer NOT NULL,
    "ObjectID" text NOT NULL COLLATE pg_catalog."C",
    "ObjectName" text NOT NULL COLLATE pg_catalog."C",
    "Values" text NOT NULL COLLATE pg_catalog."C",
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL
);
CREATE TABLE public."CustomValue" (
    "Workspace" integer NOT NULL,
    "ObjectID" text NOT NULL COLLATE pg_catalog."C",
    "FieldName" text NOT NULL COLLATE pg_catalog."C",
    "Value" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."Definition" (
    "Workspace" integer NOT NULL,
    "DefinitionID" text NOT NULL COLLATE pg_catalog."C",
    "ObjectName" text NOT NULL COLLATE pg_catalog."C",
    "FieldName" text NOT NULL COLLATE pg_catalog."C",
    "Type" text NOT NULL COLLATE pg_catalog."C",
    "Label" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Retired" integer
);
CREATE TABLE public."Delivery" (
    "Workspace" integer NOT NULL,
    "DeliveryID" text NOT NULL COLLATE pg_catalog."C",
    "WebhookID" text NOT NULL COLLATE pg_catalog."C",
    "EventID" text NOT NULL COLLATE pg_catalog."C",
    "EventType" text NOT NULL COLLATE pg_catalog."C",
    "RecordID" text NOT NULL COLLATE pg_catalog."C",
    "State" text NOT NULL COLLATE pg_catalog."C",
    "Attempts" double precision NOT NULL,
    "NextAttempt" text COLLATE pg_catalog."C",
    "LastAttempt" text COLLATE pg_catalog."C",
    "LastStatus" double precision,
    "LastError" text COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."Key" (
    "Workspace" integer NOT NULL,
    "KeyID" text NOT NULL COLLATE pg_catalog."C",
    "UserID" text NOT NULL COLLATE pg_catalog."C",
    "Label" text COLLATE pg_catalog."C",
    "Scopes" text NOT NULL COLLATE pg_catalog."C",
    "ExpiresDate" text COLLATE pg_catalog."C",
    "RevokedDate" text COLLATE pg_catalog."C",
    "Digest" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL,
    "Confirm" text COLLATE pg_catalog."C"
);
CREATE TABLE public."KeyPlace" (
    "Digest" text NOT NULL COLLATE pg_catalog."C",
    "Workspace" integer NOT NULL,
    "KeyID" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."Lead" (
    "Workspace" integer NOT NULL,
    "LeadID" text NOT NULL COLLATE pg_catalog."C",
    "FirstName" text NOT NULL COLLATE pg_catalog."C",
    "LastName" text NOT NULL COLLATE pg_catalog."C",
    "Email" text COLLATE pg_catalog."C",
    "Phone" text COLLATE pg_catalog."C",
    "Status" text COLLATE pg_catalog."C",
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL,
    "NotesTotal" integer DEFAULT 0 NOT NULL,
    "CampaignsTotal" integer DEFAULT 0 NOT NULL
);
CREATE TABLE public."Lease" (
    "Name" text NOT NULL COLLATE pg_catalog."C",
    "Holder" text NOT NULL COLLATE pg_catalog."C",
    "Until" timestamp with time zone NOT NULL
);
CREATE TABLE public."Membership" (
    "Workspace" integer NOT NULL,
    "MembershipID" text NOT NULL COLLATE pg_catalog."C",
    "LeadID" text NOT NULL COLLATE pg_catalog."C",
    "CampaignID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."Note" (
    "Workspace" integer NOT NULL,
    "NoteID" text NOT NULL COLLATE pg_catalog."C",
    "RecordID" text NOT NULL COLLATE pg_catalog."C",
    "Note" text NOT NULL COLLATE pg_catalog."C",
    "AuthorID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."Once" (
    "Workspace" integer NOT NULL,
    "UserID" text NOT NULL COLLATE pg_catalog."C",
    "Key" text NOT NULL COLLATE pg_catalog."C",
    "Fingerprint" text NOT NULL COLLATE pg_catalog."C",
    "At" text NOT NULL COLLATE pg_catalog."C",
    "State" text NOT NULL COLLATE pg_catalog."C",
    "Answer" text COLLATE pg_catalog."C",
    "ChangeID" text COLLATE pg_catalog."C"
);
CREATE TABLE public."Opportunity" (
    "Workspace" integer NOT NULL,
    "OpportunityID" text NOT NULL COLLATE pg_catalog."C",
    "OpportunityName" text NOT NULL COLLATE pg_catalog."C",
    "Stage" text NOT NULL COLLATE pg_catalog."C",
    "CloseDate" text NOT NULL COLLATE pg_catalog."C",
    "Amount" double precision,
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL,
    "NotesTotal" integer DEFAULT 0 NOT NULL
);
CREATE TABLE public."Plan" (
    "Workspace" integer NOT NULL,
    "PlanID" text NOT NULL COLLATE pg_catalog."C",
    "UserID" text NOT NULL COLLATE pg_catalog."C",
    "KeyID" text COLLATE pg_catalog."C",
    "Operation" text NOT NULL COLLATE pg_catalog."C",
    "RecordType" text NOT NULL COLLATE pg_catalog."C",
    "RecordID" text NOT NULL COLLATE pg_catalog."C",
    "State" text NOT NULL COLLATE pg_catalog."C",
    "ExpiresDate" text NOT NULL COLLATE pg_catalog."C",
    "DecidedBy" text COLLATE pg_catalog."C",
    "Input" text NOT NULL COLLATE pg_catalog."C",
    "Preview" text NOT NULL COLLATE pg_catalog."C",
    "Digest" text NOT NULL COLLATE pg_catalog."C",
    "Fingerprint" text NOT NULL COLLATE pg_catalog."C",
    "RecordRevision" double precision,
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL
);
CREATE TABLE public."Pulse" (
    "Name" text NOT NULL COLLATE pg_catalog."C",
    "Version" bigint NOT NULL
);
CREATE TABLE public."RecordOwner" (
    "Workspace" integer NOT NULL,
    "RecordID" text NOT NULL COLLATE pg_catalog."C",
    "OwnerID" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."Rollup" (
    "Workspace" integer NOT NULL,
    "RecordType" text NOT NULL COLLATE pg_catalog."C",
    "Kind" text NOT NULL COLLATE pg_catalog."C",
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "State" text NOT NULL COLLATE pg_catalog."C",
    "Bucket" text NOT NULL COLLATE pg_catalog."C",
    "Count" bigint NOT NULL,
    "Amounts" bigint NOT NULL,
    "Amount" numeric NOT NULL
);
CREATE TABLE public."RollupDelta" (
    "Workspace" integer NOT NULL,
    "Arrived" bigint DEFAULT nextval('public."Arrival"'::regclass) NOT NULL,
    "RecordType" text NOT NULL COLLATE pg_catalog."C",
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "State" text NOT NULL COLLATE pg_catalog."C",
    "Month" text NOT NULL COLLATE pg_catalog."C",
    "Due" text COLLATE pg_catalog."C",
    "Count" bigint NOT NULL,
    "Amounts" bigint NOT NULL,
    "Amount" numeric NOT NULL
);
CREATE TABLE public."Schema" (
    "Version" integer NOT NULL
);
CREATE TABLE public."Secret" (
    "Name" text NOT NULL COLLATE pg_catalog."C",
    "Value" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public."User" (
    "Workspace" integer NOT NULL,
    "UserID" text NOT NULL COLLATE pg_catalog."C",
    "Name" text NOT NULL COLLATE pg_catalog."C",
    "Email" text COLLATE pg_catalog."C",
    "Role" text NOT NULL COLLATE pg_catalog."C",
    "ManagerID" text COLLATE pg_catalog."C",
    "PlatformUserID" text COLLATE pg_catalog."C",
    "Active" integer NOT NULL,
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL
);
CREATE TABLE public."Webhook" (
    "Workspace" integer NOT NULL,
    "WebhookID" text NOT NULL COLLATE pg_catalog."C",
    "URL" text NOT NULL COLLATE pg_catalog."C",
    "Label" text COLLATE pg_catalog."C",
    "EventTypes" text NOT NULL COLLATE pg_catalog."C",
    "Active" integer NOT NULL,
    "Scopes" text NOT NULL COLLATE pg_catalog."C",
    "PausedReason" text COLLATE pg_catalog."C",
    "FailingSince" text COLLATE pg_catalog."C",
    "Secret" text NOT NULL COLLATE pg_catalog."C",
    "OldSecret" text COLLATE pg_catalog."C",
    "OldSecretUntil" text COLLATE pg_catalog."C",
    "Position" double precision NOT NULL,
    "OwnerID" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C",
    "UpdatedDate" text NOT NULL COLLATE pg_catalog."C",
    "Revision" double precision NOT NULL
);
CREATE TABLE public."Workspace" (
    "Number" integer NOT NULL,
    "Name" text NOT NULL COLLATE pg_catalog."C",
    "CreatedDate" text NOT NULL COLLATE pg_catalog."C"
);
INSERT INTO public."Campaign" VALUES (1, '1m7kqwrcw36w2y0qs08z', 'Spring fair', 'Active', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:01.852Z', '2026-11-17T03:13:01.852Z', 1);
INSERT INTO public."Case" VALUES (1, '1m7kqwrpm48g18atgme3', 'Jam', 'It jams.', 'New', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.164Z', '2026-11-17T03:13:02.164Z', 1, 1);
INSERT INTO public."Chain" VALUES (1, 0, '', 22, 'KGbCY3kzdvVwUW8EeMkl2GdzKhvlAyYFKbUu3jOboI0');
INSERT INTO public."Change" VALUES (1, '1m7kqwr5561j5v7dz8pj', '2026-11-17T03:13:01.605Z', 1, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_user', 'User', '1m7kqwr501fzyhcqrmac', NULL, '{"UserID":"1m7kqwr501fzyhcqrmac","Name":"Grace Hopper","Email":"grace@example.com","Role":"manager","ManagerID":null,"PlatformUserID":null,"Active":true,"CreatedDate":"2026-11-17T03:13:01.600Z","UpdatedDate":"2026-11-17T03:13:01.600Z","Revision":1}', NULL, 'ok', 'user.created', NULL, '1m7kqwr501fzyhcqrmac', 'qqPAz6niNUH0iXPo', NULL, 'k6B8tQ52fmVEn6bPvann4QyGQpNCfWNr4Zf3STBNHLk', 'Zh-BJEry-01iY3Q3BaWKRiK9VHvAmONI1j_o9G8czGQ', 1, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwr6rfw18ycxx7mv', '2026-11-17T03:13:01.656Z', 2, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_key', 'Key', '1m7kqwr6q90yzn7ngqpv', NULL, '{"KeyID":"1m7kqwr6q90yzn7ngqpv","UserID":"1m7kqwr501fzyhcqrmac","Label":"nightly","Scopes":["read","write"],"Confirm":null,"ExpiresDate":null,"RevokedDate":null,"CreatedDate":"2026-11-17T03:13:01.655Z","UpdatedDate":"2026-11-17T03:13:01.655Z","Revision":1}', NULL, 'ok', 'key.created', NULL, '1m7kqwr501fzyhcqrmac', 'ezNzfAEEstaUDRkS', NULL, 'xEQNm1Cis0eGBy1VIrQQ1OH3Z-mDC8tgGPMOc7esJvo', 'uaP6QfUeaG4-cmOtaxAupXpo7wicoZUDCMVtvo_sXWE', 2, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwr7m6fxeb0tkpkt', '2026-11-17T03:13:01.684Z', 3, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_a_lead', 'Lead', '1m7kqwr7m6fxeb0tkpks', NULL, '{"LeadID":"1m7kqwr7m6fxeb0tkpks","FirstName":"Ada","LastName":"Lovelace","Email":"ada@example.com","Phone":"+44 20 7946 0958","Status":"Open","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.684Z","UpdatedDate":"2026-11-17T03:13:01.684Z","Revision":1}', NULL, 'ok', 'lead.created', 'first-lead', '1m7kqwr2k5ej4a78tq0a', '41ZA3A7K1gLCwZ2-', NULL, '2d2AzEkV_HJxPVIISEbXdAo8Rly3EfNOhl5ysrHFgVk', 'SitRIEM0N2DAHmNyWz9GyToJpNk5y2QE9gZMo9CCD9Y', 4, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwra41k5jeaqtvnb', '2026-11-17T03:13:01.764Z', 4, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'update_lead', 'Lead', '1m7kqwr7m6fxeb0tkpks', '{"LeadID":"1m7kqwr7m6fxeb0tkpks","FirstName":"Ada","LastName":"Lovelace","Email":"ada@example.com","Phone":"+44 20 7946 0958","Status":"Open","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.684Z","UpdatedDate":"2026-11-17T03:13:01.684Z","Revision":1}', '{"LeadID":"1m7kqwr7m6fxeb0tkpks","FirstName":"Ada","LastName":"Lovelace","Email":"ada@example.com","Phone":null,"Status":"Contacted","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.684Z","UpdatedDate":"2026-11-17T03:13:01.763Z","Revision":2}', NULL, 'ok', 'lead.updated', NULL, '1m7kqwr2k5ej4a78tq0a', '8t_sCnGq8I9rx56f', 'd1Vx70-Y7cmGl6KPQ5PVdD_ss0eaC6INxJFm6aFdfZQ', 'PTz8o5cAxG7qvGgKBb6kLW4xgXcTnCStjSUhZkhIM44', 'ehVrNWvj7UkGsOTSenrvNp95SSM35w7oNQEDEaUg7A8', 7, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrbe0xzpycas8qy', '2026-11-17T03:13:01.806Z', 5, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'add_notes_to_leads', 'Lead', '1m7kqwr7m6fxeb0tkpks', NULL, '{"NoteID":"1m7kqwrbd4d8fvd4w2jc","Note":"Called, “Zoë” 😀 answered.","AuthorID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.805Z","LeadID":"1m7kqwr7m6fxeb0tkpks"}', NULL, 'ok', 'lead.note_added', NULL, '1m7kqwr2k5ej4a78tq0a', '-KB73KCDZ4NeSjz5', NULL, '-TgaiMr2Raw1lR3udsk7PxAejt4PFjKh6ltkdNyHe4o', 'qtxgZuto5RYs89pnd5yUtitQufIAG2nKIJX8etUB8BI', 8, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrcw36w2y0qs090', '2026-11-17T03:13:01.852Z', 6, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_campaign', 'Campaign', '1m7kqwrcw36w2y0qs08z', NULL, '{"CampaignID":"1m7kqwrcw36w2y0qs08z","CampaignName":"Spring fair","Status":"Active","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.852Z","UpdatedDate":"2026-11-17T03:13:01.852Z","Revision":1}', NULL, 'ok', 'campaign.created', NULL, '', '7nDfMbPpZEMBElOR', NULL, '2XAMzSAsONw6z90QmzM4L_CNjlSSFFC7tglEohD45m0', 'Ou-xDRdLESSX9Wab8Y3uPAM1ZndtPN0Wz7SiDECZHT4', 9, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrds61jng5vb3dc', '2026-11-17T03:13:01.881Z', 7, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'add_leads_to_campaign', 'Lead', '1m7kqwr7m6fxeb0tkpks', NULL, '{"LeadID":"1m7kqwr7m6fxeb0tkpks","CampaignID":"1m7kqwrcw36w2y0qs08z","CreatedDate":"2026-11-17T03:13:01.881Z"}', NULL, 'ok', 'lead.added_to_campaign', NULL, '1m7kqwr2k5ej4a78tq0a', 'QIuL7pc5spp-ddH8', NULL, 'J7OZ9GYAUk2WhGr-1Gdcnuqt_9s4DiTlPqePWQxEIsQ', '8ap_MR2arTQPElpvdUm_dUJrELx0PR7qIWh0AyIjzv8', 10, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwred2pf31bfjpgz', '2026-11-17T03:13:01.901Z', 8, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_a_lead', 'Lead', '1m7kqwrecfqkdq3qm4n4', NULL, '{"LeadID":"1m7kqwrecfqkdq3qm4n4","FirstName":"Charles","LastName":"Babbage","Email":null,"Phone":null,"Status":"Open","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.900Z","UpdatedDate":"2026-11-17T03:13:01.900Z","Revision":1}', NULL, 'ok', 'lead.created', NULL, '1m7kqwr2k5ej4a78tq0a', 'NWQnUpbFCHGRx_SM', NULL, 'jUDYVBeAxrxGgy6utsV9nfjPfJpeRdgwkxqcpcEHXBE', 'AjNNTFZl8jxmo7eZuZmUD3RvQ82pfclnOoh7ivOu7cU', 12, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrf3c5hwk4mcd9y', '2026-11-17T03:13:01.923Z', 9, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'delete_lead', 'Lead', '1m7kqwrecfqkdq3qm4n4', '{"LeadID":"1m7kqwrecfqkdq3qm4n4","FirstName":"Charles","LastName":"Babbage","Email":null,"Phone":null,"Status":"Open","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.900Z","UpdatedDate":"2026-11-17T03:13:01.900Z","Revision":1}', NULL, NULL, 'ok', 'lead.deleted', NULL, '1m7kqwr2k5ej4a78tq0a', 'e_A0L6rDCWBYjQHY', 'WngmNeCUeeDrF0lK4pzebvCD18d1bb37V7qTtxQFq88', NULL, 'jXnKVg0XtQSEY9iUWxJfCM3O-ZalRLDJQVe9kdBYA-I', 14, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrfd7r687bhh48j', '2026-11-17T03:13:01.933Z', 10, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_a_lead', 'Lead', '1m7kqwrfd7r687bhh48h', NULL, '{"LeadID":"1m7kqwrfd7r687bhh48h","FirstName":"Mary","LastName":"Somerville","Email":"mary@example.com","Phone":null,"Status":"Open","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.933Z","UpdatedDate":"2026-11-17T03:13:01.933Z","Revision":1}', NULL, 'ok', 'lead.created', NULL, '1m7kqwr2k5ej4a78tq0a', 'D-9eLoFDo2mX0paO', NULL, 'NAf1s1OgbL1UUbUZsdJCrZc6VSmYZ3bF58EgaDzthFo', 'gnAjC10H-x6oe9bnvEMoq2qLgCIfaB15-Q91ljV9RMo', 16, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrn215q9nf8qme9', '2026-11-17T03:13:02.114Z', 16, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_opportunity', 'Opportunity', '1m7kqwrn215q9nf8qme8', NULL, '{"OpportunityID":"1m7kqwrn215q9nf8qme8","OpportunityName":"Loom","Stage":"Own stage","CloseDate":"2026-12-31","Amount":null,"OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.114Z","UpdatedDate":"2026-11-17T03:13:02.114Z","Revision":1}', NULL, 'ok', 'opportunity.created', NULL, '1m7kqwr2k5ej4a78tq0a', '7Nxapqbyscd3ytyp', NULL, 'O_F4cXP9eDw70ck5uUfpTB_oyGU8oL824pw-rPL6VB4', '8csrMSyHXk5G65CK-OnayLQVbXeiXlRTcGtJxUIqgH0', 27, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrp073st5ckd9sd', '2026-11-17T03:13:02.144Z', 17, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'add_notes_to_opportunity', 'Opportunity', '1m7kqwrn215q9nf8qme8', NULL, '{"NoteID":"1m7kqwrp073st5ckd9sc","Note":"Offered.","AuthorID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.144Z","OpportunityID":"1m7kqwrn215q9nf8qme8"}', NULL, 'ok', 'opportunity.note_added', NULL, '1m7kqwr2k5ej4a78tq0a', 'BtSGNt2t-G4PmM9_', NULL, 'WZhsWc_DFJcyLrv6gKZLl8-gc9w-GTnZdDf8hlycSqY', 'hY3xZxCzZLhzMPbuejCxhZSbTCuOW5WL1GtewXkib7s', 28, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrh8f2gjv0wbjh1', '2026-11-17T03:13:01.992Z', 11, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'update_lead', 'Lead', '1m7kqwrfd7r687bhh48h', '{"LeadID":"1m7kqwrfd7r687bhh48h","FirstName":"Mary","LastName":"Somerville","Email":"mary@example.com","Phone":null,"Status":"Open","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:01.933Z","UpdatedDate":"2026-11-17T03:13:01.933Z","Revision":1}', '{"LeadID":"1m7kqwrfd7r687bhh48h","FirstName":"Mary","LastName":"Somerville","Email":"mary@example.com","Phone":null,"Status":"Open","OwnerID":"1m7kqwr501fzyhcqrmac","CreatedDate":"2026-11-17T03:13:01.933Z","UpdatedDate":"2026-11-17T03:13:01.991Z","Revision":2}', NULL, 'ok', 'lead.updated', NULL, '1m7kqwr501fzyhcqrmac', 'J2WO88soWxkZJpQH', '6GQPrMpKA5cWuLGggNQj9BRhheo3oSXVvVI-d0xSOvc', '9Zjeqtt6iyC6GqHsepQhQnpZI5ngZ_E-Pc631nt5BXk', 'yBSpErZ5tutwi1YYuXhToaTVwJpqPqT2kcVq2Fcxxe4', 19, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrpm48g18atgme4', '2026-11-17T03:13:02.164Z', 18, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_case', 'Case', '1m7kqwrpm48g18atgme3', NULL, '{"CaseID":"1m7kqwrpm48g18atgme3","Subject":"Jam","Description":"It jams.","Status":"New","OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.164Z","UpdatedDate":"2026-11-17T03:13:02.164Z","Revision":1}', NULL, 'ok', 'case.created', NULL, '1m7kqwr2k5ej4a78tq0a', 'LwVUdFSFcoSnoyOF', NULL, '-fxG3hX1ZDNEr7ODulfebDnSmWNsnuXPbwAJyCXd8Bk', '5lXT1cOOl2E5qcrIa0p0dNK-pccnL-xlLWwd9e9rLeg', 30, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrj097facemv16m', '2026-11-17T03:13:02.016Z', 12, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_opportunity', 'Opportunity', '1m7kqwrj097facemv16k', NULL, '{"OpportunityID":"1m7kqwrj097facemv16k","OpportunityName":"Engine","Stage":"Prospecting","CloseDate":"2026-12-31","Amount":1999.99,"OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.016Z","UpdatedDate":"2026-11-17T03:13:02.016Z","Revision":1}', NULL, 'ok', 'opportunity.created', NULL, '1m7kqwr2k5ej4a78tq0a', 'BiJW46nqjFdBdm3G', NULL, 'mvMclqTevqqHFojfBpnqBpb2kMSweKmBu9q8JczzjTc', '8D21rwYF9HGMLmUhVRhfrXCvplLvuKXB1bbPyBACBLA', 21, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrks27y2n63ka38', '2026-11-17T03:13:02.073Z', 13, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'add_notes_to_opportunity', 'Opportunity', '1m7kqwrj097facemv16k', NULL, '{"NoteID":"1m7kqwrks27y2n63ka37","Note":"Offered.","AuthorID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.073Z","OpportunityID":"1m7kqwrj097facemv16k"}', NULL, 'ok', 'opportunity.note_added', NULL, '1m7kqwr2k5ej4a78tq0a', 'A0PmG3V_RU_P-ZZ7', NULL, 'yI5iTghg4FLF16KQGDZv7kRPIZ7kUmegZn7bbQKBusI', 'wMkkfKqQQiSu43HfrGJiRE47WnHJGgQRe_pXhzEJIa0', 22, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrm40bsn9caemdm', '2026-11-17T03:13:02.084Z', 14, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_opportunity', 'Opportunity', '1m7kqwrm389sej8b742j', NULL, '{"OpportunityID":"1m7kqwrm389sej8b742j","OpportunityName":"Mill","Stage":"Closed Won","CloseDate":"2026-12-31","Amount":0.1,"OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.083Z","UpdatedDate":"2026-11-17T03:13:02.083Z","Revision":1}', NULL, 'ok', 'opportunity.created', NULL, '1m7kqwr2k5ej4a78tq0a', 'wsY1ZhtmHiBGjLJG', NULL, '_mvYTwA8Gr8PpC4ZoVaoXlMyVFSeSp2c9JHaZoV_OWk', '9MplyobohahKTsWKfdVZLb3ACUUe2GN_Nt7Tt4918_Q', 24, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrmzaqs184q89h8', '2026-11-17T03:13:02.111Z', 15, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'add_notes_to_opportunity', 'Opportunity', '1m7kqwrm389sej8b742j', NULL, '{"NoteID":"1m7kqwrmzaqs184q89h7","Note":"Offered.","AuthorID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.111Z","OpportunityID":"1m7kqwrm389sej8b742j"}', NULL, 'ok', 'opportunity.note_added', NULL, '1m7kqwr2k5ej4a78tq0a', 'ewoLBxvKVKJiDVV8', NULL, 'Fmu22XSm4D44fWLBTZdubpSaEEMl5nrySZx6os-MLSQ', 'G2kX-41Am4CpikiFMi3aU-lM0gr8semu38OjCGqIevo', 25, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrq4cma543jrwem', '2026-11-17T03:13:02.180Z', 19, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'add_comment', 'Case', '1m7kqwrpm48g18atgme3', NULL, '{"CommentID":"1m7kqwrq4cma543jrwek","Comment":"Oiled.","Publish":true,"AuthorID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.180Z","CaseID":"1m7kqwrpm48g18atgme3"}', NULL, 'ok', 'case.comment_added', NULL, '1m7kqwr2k5ej4a78tq0a', 'zmtN_A8TmFugJ3Ve', NULL, 'Us-FSLi9EAxPrE_mDPN97eaUxF6XOuYdIzp1U4UVBXQ', 'xzMXhhwgfCvR_Re6nIHiEbyVu6URFRFvwYqtDVHQlNU', 31, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrsc0wtt0a1bdm9', '2026-11-17T03:13:02.252Z', 20, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_custom_object', 'CustomObject', '1m7kqwrsb7xaa38ge1gr', NULL, '{"ObjectID":"1m7kqwrsb7xaa38ge1gr","ObjectName":"Boat","Values":{"HullLength":7.5,"Harbour":"Kiel"},"OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.251Z","UpdatedDate":"2026-11-17T03:13:02.251Z","Revision":1}', NULL, 'ok', 'custom_object.created', NULL, '1m7kqwr2k5ej4a78tq0a', 'N_pSqppv-aaLiPp7', NULL, '4hJfi9VQ4R01QB6GrouBkQ1yNbzx7PaQDdl9qX_oJWo', 'tRPHVoWMbDrQAT3gVPdzCKFWpBbCS-obgxAyhUk_7Q4', 32, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrtrdm37a1d3key', '2026-11-17T03:13:02.296Z', 21, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'update_custom_object', 'CustomObject', '1m7kqwrsb7xaa38ge1gr', '{"ObjectID":"1m7kqwrsb7xaa38ge1gr","ObjectName":"Boat","Values":{"HullLength":7.5,"Harbour":"Kiel"},"OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.251Z","UpdatedDate":"2026-11-17T03:13:02.251Z","Revision":1}', '{"ObjectID":"1m7kqwrsb7xaa38ge1gr","ObjectName":"Boat","Values":{"HullLength":7.5},"OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.251Z","UpdatedDate":"2026-11-17T03:13:02.296Z","Revision":2}', NULL, 'ok', 'custom_object.updated', NULL, '1m7kqwr2k5ej4a78tq0a', 'h2cIZcRs-bCvMbNY', 'Tx671aMEJlFmL5OoAcnRz28NnwsDpL14-wtWHnEPRq8', '8oqkYuC_bC85VErCoQ3OeUJxIttuXJ0Nsrv7rHRTGpU', 'b6Z3GIXdojSH-yhxrcSYhaxKghDShFdhPSreQDl0udA', 33, NULL);
INSERT INTO public."Change" VALUES (1, '1m7kqwrx3037hycajk3t', '2026-11-17T03:13:02.371Z', 22, '1m7kqwr2k5ej4a78tq0a', NULL, 'sdk', 'create_webhook', 'Webhook', '1m7kqwrx29gse90xy960', NULL, '{"WebhookID":"1m7kqwrx29gse90xy960","URL":"https://hooks.example.com/crm","Label":null,"EventTypes":["lead.created"],"Active":false,"Scopes":["read","write","delete","admin"],"PausedReason":null,"FailingSince":null,"OwnerID":"1m7kqwr2k5ej4a78tq0a","CreatedDate":"2026-11-17T03:13:02.370Z","UpdatedDate":"2026-11-17T03:13:02.370Z","Revision":1}', NULL, 'ok', 'webhook.created', NULL, '1m7kqwr2k5ej4a78tq0a', '9W1QJzQ9q8Ncm9Yw', NULL, 'zHtVGrDQ0NDHi2NIjgQ0u2CdYognhgdFYcaEQloYn7U', 'KGbCY3kzdvVwUW8EeMkl2GdzKhvlAyYFKbUu3jOboI0', 34, NULL);
INSERT INTO public."Comment" VALUES (1, '1m7kqwrq4cma543jrwek', '1m7kqwrpm48g18atgme3', 'Oiled.', 1, '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.180Z');
INSERT INTO public."CustomObject" VALUES (1, '1m7kqwrsb7xaa38ge1gr', 'Boat', '{"HullLength":7.5}', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.251Z', '2026-11-17T03:13:02.296Z', 2);
INSERT INTO public."CustomValue" VALUES (1, '1m7kqwrsb7xaa38ge1gr', 'HullLength', 'c01e000000000000');
INSERT INTO public."Definition" VALUES (1, 'Boat.HullLength', 'Boat', 'HullLength', 'Number', 'Hull length', '2026-11-17T03:13:02.251Z', 0);
INSERT INTO public."Definition" VALUES (1, 'Boat.Harbour', 'Boat', 'Harbour', 'String', 'Home harbour', '2026-11-17T03:13:02.251Z', 0);
INSERT INTO public."Key" VALUES (1, '1m7kqwr2s0aqd50aks6e', '1m7kqwr2k5ej4a78tq0a', 'first admin', '["read","write","delete","admin"]', NULL, NULL, 'Ls_QT_ji_9wP8KJqy-4Uf5CIewNTuAFRXgifT0f4eKU', '2026-11-17T03:13:01.529Z', '2026-11-17T03:13:01.529Z', 1, NULL);
INSERT INTO public."Key" VALUES (1, '1m7kqwr6q90yzn7ngqpv', '1m7kqwr501fzyhcqrmac', 'nightly', '["read","write"]', NULL, NULL, 'aF_6kPUXB7ipHlRXM71GvTi1vRAfKv1q0JpRf2ew_aA', '2026-11-17T03:13:01.655Z', '2026-11-17T03:13:01.655Z', 1, NULL);
INSERT INTO public."KeyPlace" VALUES ('Ls_QT_ji_9wP8KJqy-4Uf5CIewNTuAFRXgifT0f4eKU', 1, '1m7kqwr2s0aqd50aks6e');
INSERT INTO public."KeyPlace" VALUES ('aF_6kPUXB7ipHlRXM71GvTi1vRAfKv1q0JpRf2ew_aA', 1, '1m7kqwr6q90yzn7ngqpv');
INSERT INTO public."Lead" VALUES (1, '1m7kqwr7m6fxeb0tkpks', 'Ada', 'Lovelace', 'ada@example.com', NULL, 'Contacted', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:01.684Z', '2026-11-17T03:13:01.763Z', 2, 1, 1);
INSERT INTO public."Lead" VALUES (1, '1m7kqwrfd7r687bhh48h', 'Mary', 'Somerville', 'mary@example.com', NULL, 'Open', '1m7kqwr501fzyhcqrmac', '2026-11-17T03:13:01.933Z', '2026-11-17T03:13:01.991Z', 2, 0, 0);
INSERT INTO public."Lease" VALUES ('sequencer', '0b5c4976-d3c7-41c3-bbd2-37be3062a4dc', '2026-11-17 03:13:02.971084+00');
INSERT INTO public."Membership" VALUES (1, '1m7kqwr7m6fxeb0tkpks:1m7kqwrcw36w2y0qs08z', '1m7kqwr7m6fxeb0tkpks', '1m7kqwrcw36w2y0qs08z', '2026-11-17T03:13:01.881Z');
INSERT INTO public."Note" VALUES (1, '1m7kqwrbd4d8fvd4w2jc', '1m7kqwr7m6fxeb0tkpks', 'Called, “Zoë” 😀 answered.', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:01.805Z');
INSERT INTO public."Note" VALUES (1, '1m7kqwrks27y2n63ka37', '1m7kqwrj097facemv16k', 'Offered.', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.073Z');
INSERT INTO public."Note" VALUES (1, '1m7kqwrmzaqs184q89h7', '1m7kqwrm389sej8b742j', 'Offered.', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.111Z');
INSERT INTO public."Note" VALUES (1, '1m7kqwrp073st5ckd9sc', '1m7kqwrn215q9nf8qme8', 'Offered.', '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.144Z');
INSERT INTO public."Once" VALUES (1, '1m7kqwr2k5ej4a78tq0a', 'first-lead', '_PsbvuLopi9CCwIpAsluojaSHCUeRHaP-rEu9072SNY', '2026-11-17T03:13:01.685Z', 'done', NULL, '1m7kqwr7m6fxeb0tkpkt');
INSERT INTO public."Opportunity" VALUES (1, '1m7kqwrj097facemv16k', 'Engine', 'Prospecting', '2026-12-31', 1999.99, '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.016Z', '2026-11-17T03:13:02.016Z', 1, 1);
INSERT INTO public."Opportunity" VALUES (1, '1m7kqwrm389sej8b742j', 'Mill', 'Closed Won', '2026-12-31', 0.1, '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.083Z', '2026-11-17T03:13:02.083Z', 1, 1);
INSERT INTO public."Opportunity" VALUES (1, '1m7kqwrn215q9nf8qme8', 'Loom', 'Own stage', '2026-12-31', NULL, '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.114Z', '2026-11-17T03:13:02.114Z', 1, 1);
INSERT INTO public."Pulse" VALUES ('access', 4);
INSERT INTO public."Pulse" VALUES ('changes', 11);
INSERT INTO public."RecordOwner" VALUES (1, '1m7kqwrfd7r687bhh48h', '1m7kqwr501fzyhcqrmac');
INSERT INTO public."Rollup" VALUES (1, 'Lead', 'month', '', '', '2026-11', 2, 0, 0);
INSERT INTO public."Rollup" VALUES (1, 'Lead', 'month', '1m7kqwr2k5ej4a78tq0a', '', '2026-11', 1, 0, 0);
INSERT INTO public."Rollup" VALUES (1, 'Lead', 'month', '1m7kqwr501fzyhcqrmac', '', '2026-11', 1, 0, 0);
INSERT INTO public."Rollup" VALUES (1, 'Lead', 'state', '1m7kqwr2k5ej4a78tq0a', 'Contacted', '', 1, 0, 0);
INSERT INTO public."Rollup" VALUES (1, 'Lead', 'state', '1m7kqwr501fzyhcqrmac', 'Open', '', 1, 0, 0);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'due', '', 'Prospecting', '2026-12-31', 1, 1, 19999900);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'due', '1m7kqwr2k5ej4a78tq0a', 'Prospecting', '2026-12-31', 1, 1, 19999900);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'state', '1m7kqwr2k5ej4a78tq0a', 'Prospecting', '', 1, 1, 19999900);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'due', '', 'Closed Won', '2026-12-31', 1, 1, 1000);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'due', '1m7kqwr2k5ej4a78tq0a', 'Closed Won', '2026-12-31', 1, 1, 1000);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'month', '', '', '2026-11', 2, 2, 20000900);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'month', '1m7kqwr2k5ej4a78tq0a', '', '2026-11', 2, 2, 20000900);
INSERT INTO public."Rollup" VALUES (1, 'Opportunity', 'state', '1m7kqwr2k5ej4a78tq0a', 'Closed Won', '', 1, 1, 1000);
INSERT INTO public."RollupDelta" VALUES (1, 26, 'Opportunity', '1m7kqwr2k5ej4a78tq0a', 'Own stage', '2026-11', '2026-12-31', 1, 0, 0);
INSERT INTO public."RollupDelta" VALUES (1, 29, 'Case', '1m7kqwr2k5ej4a78tq0a', 'New', '2026-11', NULL, 1, 0, 0);
INSERT INTO public."Schema" VALUES (4);
INSERT INTO public."Secret" VALUES ('store', 'e385d54b7a3347cba8836a995f35ebe1862736d5d8e04b15931f86f845695cdf');
INSERT INTO public."User" VALUES (1, '1m7kqwr2k5ej4a78tq0a', 'Admin', NULL, 'admin', NULL, NULL, 1, '2026-11-17T03:13:01.523Z', '2026-11-17T03:13:01.523Z', 1);
INSERT INTO public."User" VALUES (1, '1m7kqwr501fzyhcqrmac', 'Grace Hopper', 'grace@example.com', 'manager', NULL, NULL, 1, '2026-11-17T03:13:01.600Z', '2026-11-17T03:13:01.600Z', 1);
INSERT INTO public."Webhook" VALUES (1, '1m7kqwrx29gse90xy960', 'https://hooks.example.com/crm', NULL, '["lead.created"]', 0, '["read","write","delete","admin"]', NULL, NULL, 'whsec_Tn/QDQjX8jA2OIuSpxsZwft5HruYrD4/wKO3dNZ27tk=', NULL, NULL, 21, '1m7kqwr2k5ej4a78tq0a', '2026-11-17T03:13:02.370Z', '2026-11-17T03:13:02.370Z', 1);
INSERT INTO public."Workspace" VALUES (1, 'default', '2026-11-17T03:13:01.501Z');
SELECT pg_catalog.setval('public."Arrival"', 34, true);
ALTER TABLE ONLY public."Allowance"
    ADD CONSTRAINT "Allowance_pkey" PRIMARY KEY ("Name");
ALTER TABLE ONLY public."Campaign"
    ADD CONSTRAINT "Campaign_pkey" PRIMARY KEY ("Workspace", "CampaignID");
ALTER TABLE ONLY public."Case"
    ADD CONSTRAINT "Case_pkey" PRIMARY KEY ("Workspace", "CaseID");
ALTER TABLE ONLY public."Chain"
    ADD CONSTRAINT "Chain_pkey" PRIMARY KEY ("Workspace");
ALTER TABLE ONLY public."Change"
    ADD CONSTRAINT "Change_pkey" PRIMARY KEY ("Workspace", "ChangeID");
ALTER TABLE ONLY public."Comment"
    ADD CONSTRAINT "Comment_pkey" PRIMARY KEY ("Workspace", "CommentID");
ALTER TABLE ONLY public."CustomObject"
    ADD CONSTRAINT "CustomObject_pkey" PRIMARY KEY ("Workspace", "ObjectID");
ALTER TABLE ONLY public."CustomValue"
    ADD CONSTRAINT "CustomValue_pkey" PRIMARY KEY ("Workspace", "ObjectID", "FieldName");
ALTER TABLE ONLY public."Definition"
    ADD CONSTRAINT "Definition_pkey" PRIMARY KEY ("Workspace", "DefinitionID");
ALTER TABLE ONLY public."Delivery"
    ADD CONSTRAINT "Delivery_pkey" PRIMARY KEY ("Workspace", "DeliveryID");
ALTER TABLE ONLY public."KeyPlace"
    ADD CONSTRAINT "KeyPlace_pkey" PRIMARY KEY ("Digest");
ALTER TABLE ONLY public."Key"
    ADD CONSTRAINT "Key_pkey" PRIMARY KEY ("Workspace", "KeyID");
ALTER TABLE ONLY public."Lead"
    ADD CONSTRAINT "Lead_pkey" PRIMARY KEY ("Workspace", "LeadID");
ALTER TABLE ONLY public."Lease"
    ADD CONSTRAINT "Lease_pkey" PRIMARY KEY ("Name");
ALTER TABLE ONLY public."Membership"
    ADD CONSTRAINT "Membership_pkey" PRIMARY KEY ("Workspace", "MembershipID");
ALTER TABLE ONLY public."Note"
    ADD CONSTRAINT "Note_pkey" PRIMARY KEY ("Workspace", "NoteID");
ALTER TABLE ONLY public."Once"
    ADD CONSTRAINT "Once_pkey" PRIMARY KEY ("Workspace", "UserID", "Key");
ALTER TABLE ONLY public."Opportunity"
    ADD CONSTRAINT "Opportunity_pkey" PRIMARY KEY ("Workspace", "OpportunityID");
ALTER TABLE ONLY public."Plan"
    ADD CONSTRAINT "Plan_pkey" PRIMARY KEY ("Workspace", "PlanID");
ALTER TABLE ONLY public."Pulse"
    ADD CONSTRAINT "Pulse_pkey" PRIMARY KEY ("Name");
ALTER TABLE ONLY public."RecordOwner"
    ADD CONSTRAINT "RecordOwner_pkey" PRIMARY KEY ("Workspace", "RecordID");
ALTER TABLE ONLY public."RollupDelta"
    ADD CONSTRAINT "RollupDelta_pkey" PRIMARY KEY ("Workspace", "Arrived");
ALTER TABLE ONLY public."Rollup"
    ADD CONSTRAINT "Rollup_pkey" PRIMARY KEY ("Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket");
ALTER TABLE ONLY public."Secret"
    ADD CONSTRAINT "Secret_pkey" PRIMARY KEY ("Name");
ALTER TABLE ONLY public."User"
    ADD CONSTRAINT "User_pkey" PRIMARY KEY ("Workspace", "UserID");
ALTER TABLE ONLY public."Webhook"
    ADD CONSTRAINT "Webhook_pkey" PRIMARY KEY ("Workspace", "WebhookID");
ALTER TABLE ONLY public."Workspace"
    ADD CONSTRAINT "Workspace_Name_key" UNIQUE ("Name");
ALTER TABLE ONLY public."Workspace"
    ADD CONSTRAINT "Workspace_pkey" PRIMARY KEY ("Number");
CREATE INDEX "Allowance_Ends" ON public."Allowance" USING btree ("Ends");
CREATE INDEX "Campaign_CampaignName" ON public."Campaign" USING btree ("Workspace", "CampaignName" NULLS FIRST, "CampaignID");
CREATE INDEX "Campaign_OwnerID" ON public."Campaign" USING btree ("Workspace", "OwnerID" NULLS FIRST, "CampaignID");
CREATE INDEX "Campaign_Revision" ON public."Campaign" USING btree ("Workspace", "Revision" NULLS FIRST, "CampaignID");
CREATE INDEX "Campaign_Status" ON public."Campaign" USING btree ("Workspace", "Status" NULLS FIRST, "CampaignID");
CREATE INDEX "Campaign_UpdatedDate" ON public."Campaign" USING btree ("Workspace", "UpdatedDate" NULLS FIRST, "CampaignID");
CREATE INDEX "Case_Description" ON public."Case" USING btree ("Workspace", substr("Description", 1, 64) NULLS FIRST, "CaseID");
CREATE INDEX "Case_OwnerID" ON public."Case" USING btree ("Workspace", "OwnerID" NULLS FIRST, "CaseID");
CREATE INDEX "Case_Queue" ON public."Case" USING btree ("Workspace", "Status", "OwnerID", "CaseID");
CREATE INDEX "Case_Revision" ON public."Case" USING btree ("Workspace", "Revision" NULLS FIRST, "CaseID");
CREATE INDEX "Case_Status" ON public."Case" USING btree ("Workspace", "Status" NULLS FIRST, "CaseID");
CREATE INDEX "Case_Subject" ON public."Case" USING btree ("Workspace", "Subject" NULLS FIRST, "CaseID");
CREATE INDEX "Case_UpdatedDate" ON public."Case" USING btree ("Workspace", "UpdatedDate" NULLS FIRST, "CaseID");
CREATE INDEX "Change_Number" ON public."Change" USING btree ("Workspace", "Number" NULLS FIRST, "ChangeID");
CREATE INDEX "Change_OwnerID" ON public."Change" USING btree ("Workspace", "OwnerID" NULLS FIRST, "ChangeID");
CREATE INDEX "Change_RecordID" ON public."Change" USING btree ("Workspace", "RecordID" NULLS FIRST, "ChangeID");
CREATE INDEX "Change_Unsealed" ON public."Change" USING btree ("Workspace", "Arrived") WHERE ("Number" IS NULL);
CREATE INDEX "Change_UserID" ON public."Change" USING btree ("Workspace", "UserID" NULLS FIRST, "ChangeID");
CREATE INDEX "Comment_CaseID" ON public."Comment" USING btree ("Workspace", "CaseID" NULLS FIRST, "CommentID");
CREATE INDEX "CustomObject_ObjectName" ON public."CustomObject" USING btree ("Workspace", "ObjectName" NULLS FIRST, "ObjectID");
CREATE INDEX "CustomObject_OwnerID" ON public."CustomObject" USING btree ("Workspace", "OwnerID" NULLS FIRST, "ObjectID");
CREATE INDEX "CustomObject_Revision" ON public."CustomObject" USING btree ("Workspace", "Revision" NULLS FIRST, "ObjectID");
CREATE INDEX "CustomObject_UpdatedDate" ON public."CustomObject" USING btree ("Workspace", "UpdatedDate" NULLS FIRST, "ObjectID");
CREATE INDEX "Definition_CreatedDate" ON public."Definition" USING btree ("Workspace", "CreatedDate" NULLS FIRST, "DefinitionID");
CREATE INDEX "Definition_FieldName" ON public."Definition" USING btree ("Workspace", "FieldName" NULLS FIRST, "DefinitionID");
CREATE INDEX "Definition_Label" ON public."Definition" USING btree ("Workspace", "Label" NULLS FIRST, "DefinitionID");
CREATE INDEX "Definition_ObjectName" ON public."Definition" USING btree ("Workspace", "ObjectName" NULLS FIRST, "DefinitionID");
CREATE INDEX "Definition_Retired" ON public."Definition" USING btree ("Workspace", "Retired" NULLS FIRST, "DefinitionID");
CREATE INDEX "Definition_Type" ON public."Definition" USING btree ("Workspace", "Type" NULLS FIRST, "DefinitionID");
CREATE INDEX "Delivery_State" ON public."Delivery" USING btree ("Workspace", "State" NULLS FIRST, "DeliveryID");
CREATE INDEX "Delivery_WebhookID" ON public."Delivery" USING btree ("Workspace", "WebhookID" NULLS FIRST, "DeliveryID");
CREATE INDEX "Key_Confirm" ON public."Key" USING btree ("Workspace", "Confirm" NULLS FIRST, "KeyID");
CREATE INDEX "Key_ExpiresDate" ON public."Key" USING btree ("Workspace", "ExpiresDate" NULLS FIRST, "KeyID");
CREATE INDEX "Key_Label" ON public."Key" USING btree ("Workspace", "Label" NULLS FIRST, "KeyID");
CREATE INDEX "Key_Revision" ON public."Key" USING btree ("Workspace", "Revision" NULLS FIRST, "KeyID");
CREATE INDEX "Key_RevokedDate" ON public."Key" USING btree ("Workspace", "RevokedDate" NULLS FIRST, "KeyID");
CREATE INDEX "Key_UpdatedDate" ON public."Key" USING btree ("Workspace", "UpdatedDate" NULLS FIRST, "KeyID");
CREATE INDEX "Key_UserID" ON public."Key" USING btree ("Workspace", "UserID" NULLS FIRST, "KeyID");
CREATE INDEX "Lead_Email" ON public."Lead" USING btree ("Workspace", "Email" NULLS FIRST, "LeadID");
CREATE INDEX "Lead_FirstName" ON public."Lead" USING btree ("Workspace", "FirstName" NULLS FIRST, "LeadID");
CREATE INDEX "Lead_LastName" ON public."Lead" USING btree ("Workspace", "LastName" NULLS FIRST, "LeadID");
CREATE INDEX "Lead_OwnerID" ON public."Lead" USING btree ("Workspace", "OwnerID" NULLS FIRST, "LeadID");
CREATE INDEX "Lead_Phone" ON public."Lead" USING btree ("Workspace", "Phone" NULLS FIRST, "LeadID");
CREATE INDEX "Lead_Revision" ON public."Lead" USING btree ("Workspace", "Revision" NULLS FIRST, "LeadID");
CREATE INDEX "Lead_Status" ON public."Lead" USING btree ("Workspace", "Status" NULLS FIRST, "LeadID");
CREATE INDEX "Lead_UpdatedDate" ON public."Lead" USING btree ("Workspace", "UpdatedDate" NULLS FIRST, "LeadID");
CREATE INDEX "Membership_CampaignID" ON public."Membership" USING btree ("Workspace", "CampaignID" NULLS FIRST, "MembershipID");
CREATE INDEX "Membership_LeadID" ON public."Membership" USING btree ("Workspace", "LeadID" NULLS FIRST, "MembershipID");
CREATE INDEX "Note_RecordID" ON public."Note" USING btree ("Workspace", "RecordID" NULLS FIRST, "NoteID");
CREATE INDEX "Once_At" ON public."Once" USING btree ("Workspace", "At");
CREATE INDEX "Opportunity_Amount" ON public."Opportunity" USING btree ("Workspace", "Amount" NULLS FIRST, "OpportunityID");
CREATE INDEX "Opportunity_CloseDate" ON public."Opportunity" USING btree ("Workspace", "CloseDate" NULLS FIRST, "OpportunityID");
CREATE INDEX "Opportunity_OpportunityName" ON public."Opportunity" USING btree ("Workspace", "OpportunityName" NULLS FIRST, "OpportunityID");
CREATE INDEX "Opportunity_OwnerID" ON public."Opportunity" USING btree ("Workspace", "OwnerID" NULLS FIRST, "OpportunityID");
CREATE INDEX "Opportunity_Revision" ON public."Opportunity" USING btree ("Workspace", "Revision" NULLS FIRST, "OpportunityID");
CREATE INDEX "Opportunity_Stage" ON public."Opportunity" USING btree ("Workspace", "Stage" NULLS FIRST, "OpportunityID");
CREATE INDEX "Opportunity_UpdatedDate" ON public."Opportunity" USING btree ("Workspace", "UpdatedDate" NULLS FIRST, "OpportunityID");
CREATE INDEX "Plan_ExpiresDate" ON public."Plan" USING btree ("Workspace", "ExpiresDate" NULLS FIRST, "PlanID");
CREATE INDEX "Plan_RecordID" ON public."Plan" USING btree ("Workspace", "RecordID" NULLS FIRST, "PlanID");
CREATE INDEX "Plan_State" ON public."Plan" USING btree ("Workspace", "State" NULLS FIRST, "PlanID");
CREATE INDEX "RecordOwner_OwnerID" ON public."RecordOwner" USING btree ("Workspace", "OwnerID", "RecordID");
CREATE INDEX "User_Active" ON public."User" USING btree ("Workspace", "Active" NULLS FIRST, "UserID");
CREATE INDEX "User_Email" ON public."User" USING btree ("Workspace", "Email" NULLS FIRST, "UserID");
CREATE INDEX "User_ManagerID" ON public."User" USING btree ("Workspace", "ManagerID" NULLS FIRST, "UserID");
CREATE INDEX "User_Name" ON public."User" USING btree ("Workspace", "Name" NULLS FIRST, "UserID");
CREATE INDEX "User_PlatformUserID" ON public."User" USING btree ("Workspace", "PlatformUserID" NULLS FIRST, "UserID");
CREATE INDEX "User_Revision" ON public."User" USING btree ("Workspace", "Revision" NULLS FIRST, "UserID");
CREATE INDEX "User_Role" ON public."User" USING btree ("Workspace", "Role" NULLS FIRST, "UserID");
CREATE INDEX "User_UpdatedDate" ON public."User" USING btree ("Workspace", "UpdatedDate" NULLS FIRST, "UserID");
