import streamlit as st

st.title("Words and sources")
